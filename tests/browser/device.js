// A device that shows codes: RFC 6238 with SHA-1 and six digits, apart from the program's own.

import { createHmac } from "node:crypto";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const STEP_MS = 30_000;

function bytesOf(letters) {
  const values = [...letters.replace(/\s/g, "")].map((letter) => LETTERS.indexOf(letter));
  const bits = values.map((value) => value.toString(2).padStart(5, "0")).join("");
  return Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
}

// The code that a device shows which was told these letters, so many steps from now.
export function code(letters, steps = 0) {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP_MS) + steps));
  const mac = createHmac("sha1", bytesOf(letters)).update(message).digest();
  const number = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

// Waits until a step has just begun, so that what follows falls into it.
export async function freshStep(room = 12_000) {
  const left = STEP_MS - (Date.now() % STEP_MS);
  if (left < room) await new Promise((resolve) => setTimeout(resolve, left + 50));
}
