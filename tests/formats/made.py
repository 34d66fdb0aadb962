"""Files written by libraries, one small function per library.

Each function gets an empty folder of its own. A library that is missing or
refuses a format costs its files only: make_all returns what went wrong.
"""
import bz2
import csv
import email.message
import gzip
import io
import json
import lzma
import mailbox
import math
import os
import plistlib
import shutil
import sqlite3
import struct
import tarfile
import unittest.mock
import wave
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("SOURCE_DATE_EPOCH", "1700000000")
WORDS = "The quick brown fox jumps over the lazy dog. Größe, façade, naïve. "
TITLE = "A sample"


def office(at: Path) -> None:
    import docx
    import openpyxl
    import pptx
    import xlwt

    text = docx.Document()
    text.add_heading(TITLE)
    for _ in range(40):
        text.add_paragraph(WORDS * 5)
    text.save(str(at / "text.docx"))
    book = openpyxl.Workbook()
    for row in range(200):
        book.active.append([row, row * 1.5, WORDS])
    book.save(at / "table.xlsx")
    slides = pptx.Presentation()
    slides.slides.add_slide(slides.slide_layouts[0]).shapes.title.text = TITLE
    slides.save(str(at / "slides.pptx"))
    old = xlwt.Workbook()
    sheet = old.add_sheet(TITLE)
    for row in range(200):
        sheet.write(row, 0, row)
    old.save(str(at / "table.xls"))
    retyped(at / "text.docx", "document.main", {
        "dotx": "template.main", "docm": "application/vnd.ms-word.document.macroEnabled.main"})
    retyped(at / "table.xlsx", "sheet.main", {"xltx": "template.main"})
    retyped(at / "slides.pptx", "presentation.main", {
        "ppsx": "slideshow.main", "potx": "template.main"})


def retyped(path: Path, old: str, kinds: dict[str, str]) -> None:
    """Copies of an Office Open XML file with another main content type."""
    for suffix, new in kinds.items():
        prefix = "application/vnd.openxmlformats-officedocument."
        with zipfile.ZipFile(path) as source, zipfile.ZipFile(
                path.with_suffix("." + suffix), "w", zipfile.ZIP_DEFLATED) as target:
            for entry in source.infolist():
                data = source.read(entry)
                if entry.filename == "[Content_Types].xml":
                    text = data.decode()
                    if "/" in new:
                        for kind in ("wordprocessingml", "spreadsheetml", "presentationml"):
                            text = text.replace(f"{prefix}{kind}.{old}", new)
                    data = text.replace(old, new).encode()
                target.writestr(entry, data)


def opendocument(at: Path) -> None:
    import odfdo

    for kind in ("text", "spreadsheet", "presentation", "drawing"):
        suffix = {"text": "odt", "spreadsheet": "ods", "presentation": "odp", "drawing": "odg"}
        odfdo.Document(kind).save(str(at / f"sample.{suffix[kind]}"))
    for version in ("1.0", "1.1", "1.2", "1.3"):
        plain_odt(at / f"plain-{version}.odt", version)


def plain_odt(path: Path, version: str) -> None:
    kind = "application/vnd.oasis.opendocument.text"
    names = "urn:oasis:names:tc:opendocument:xmlns:"
    shown = "" if version == "1.0" else f' office:version="{version}"'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as pack:
        pack.writestr("mimetype", kind, zipfile.ZIP_STORED)
        for part in ("content", "styles", "meta"):
            pack.writestr(f"{part}.xml", (
                '<?xml version="1.0" encoding="UTF-8"?>\n'
                f'<office:document-{part} xmlns:office="{names}office:1.0"{shown}>'
                f"</office:document-{part}>"))
        pack.writestr("META-INF/manifest.xml", (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<manifest:manifest xmlns:manifest="{names}manifest:1.0">'
            f'<manifest:file-entry manifest:media-type="{kind}" manifest:full-path="/"/>'
            "</manifest:manifest>"))


def pdfs(at: Path) -> None:
    import fpdf
    import pikepdf
    from reportlab.pdfgen import canvas

    for version in ((1, 3), (1, 4), (1, 5)):
        page = canvas.Canvas(str(at / f"reportlab-{version[1]}.pdf"), pdfVersion=version, invariant=1)
        page.drawString(72, 720, TITLE)
        page.save()
    sheet = fpdf.FPDF()
    sheet.add_page()
    sheet.set_font("Helvetica", size=12)
    sheet.cell(text=TITLE)
    sheet.output(str(at / "fpdf2.pdf"))
    for version in ("1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "2.0"):
        with pikepdf.open(at / "reportlab-3.pdf") as pdf:
            pdf.save(at / f"version-{version}.pdf", force_version=version, deterministic_id=True)
    archival_pdfs(at)


def archival_pdfs(at: Path) -> None:
    """PDF/A claims in XMP, at the head and far into the file."""
    import pikepdf

    for part, level in (("1", "B"), ("1", "A"), ("2", "B"), ("2", "U"), ("3", "B"), ("4", "")):
        for label, filler in (("near", 0), ("far", 700_000)):
            pdf = pikepdf.new()
            pdf.add_blank_page()
            if filler:
                blob = bytes((i * 7919 >> 3) % 251 for i in range(filler))
                pdf.Root.Filler = pdf.make_stream(blob)
            with pdf.open_metadata(set_pikepdf_as_editor=False) as data:
                data["pdfaid:part"] = part
                if level:
                    data["pdfaid:conformance"] = level
            pdf.save(at / f"pdfa-{part}{level.lower()}-{label}.pdf", deterministic_id=True,
                     min_version="2.0" if part == "4" else "1.4",
                     compress_streams=False,
                     object_stream_mode=pikepdf.ObjectStreamMode.disable)


PICTURES = (
    "png jpg gif bmp tif webp ico pcx tga ppm jp2 j2k dds eps pdf sgi im msp xbm icns avif mpo qoi "
    "palm pbm pgm dib jpx"
).split()


def pictures(at: Path) -> Iterator[str]:
    from PIL import Image

    image = Image.linear_gradient("L").resize((64, 64)).convert("RGB")
    for suffix in PICTURES:
        for mode in ("RGB", "P", "L", "1", "F"):
            try:
                image.convert(mode).save(at / f"{suffix}-{mode}.{suffix}")
            except (OSError, ValueError, KeyError, TypeError) as problem:
                (at / f"{suffix}-{mode}.{suffix}").unlink(missing_ok=True)
                if mode == "RGB" and "cannot write mode" not in str(problem):
                    yield f"pictures: {suffix}: {problem}"
    exif = Image.Exif()
    exif[0x010F] = "Maker"
    for version in (b"0210", b"0220", b"0221", b"0230"):
        exif.get_ifd(0x8769)[0x9000] = version
        image.save(at / f"exif-{version.decode()}.jpg", exif=exif)
    image.save(at / "progressive.jpg", progressive=True)
    image.convert("RGBA").save(at / "alpha.png")
    image.save(at / "text.png", pnginfo=png_text())
    image.save(at / "lossless.webp", lossless=True)
    frames = [image.rotate(90 * n) for n in range(3)]
    for suffix in ("gif", "webp", "png", "tif"):
        frames[0].save(at / f"moving.{suffix}", save_all=True, append_images=frames[1:])
    for method in ("raw", "tiff_lzw", "tiff_deflate", "packbits", "jpeg"):
        image.save(at / f"{method}.tif", compression=method)


def png_text():
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    info.add_itxt("Title", TITLE)
    return info


def more_pictures(at: Path) -> None:
    import numpy
    import pillow_heif
    import tifffile
    from PIL import Image
    from psd_tools import PSDImage

    grid = numpy.arange(64 * 64, dtype="uint16").reshape(64, 64)
    tifffile.imwrite(at / "little.tif", grid, byteorder="<")
    tifffile.imwrite(at / "big.tif", grid, byteorder=">")
    tifffile.imwrite(at / "bigtiff-little.tif", grid, byteorder="<", bigtiff=True)
    tifffile.imwrite(at / "bigtiff-big.tif", grid, byteorder=">", bigtiff=True)
    tifffile.imwrite(at / "ome.ome.tif", grid, ome=True)
    image = Image.new("RGB", (64, 64), "red")
    pillow_heif.from_pillow(image).save(at / "photo.heic")
    PSDImage.frompil(image).save(at / "layers.psd")


def books(at: Path) -> None:
    from ebooklib import epub

    book = epub.EpubBook()
    book.set_identifier("sample")
    book.set_title(TITLE)
    chapter = epub.EpubHtml(title=TITLE, file_name="one.xhtml", content=f"<p>{WORDS}</p>")
    book.add_item(chapter)
    book.toc, book.spine = [chapter], ["nav", chapter]
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav())
    epub.write_epub(str(at / "book.epub"), book)


def science(at: Path) -> None:
    import h5py
    import laspy
    import netCDF4
    import numpy
    import pydicom

    grid = numpy.arange(1000.0)
    numpy.save(at / "grid.npy", grid)
    numpy.savez(at / "grid.npz", grid=grid)
    for kind in ("earliest", "v108", "latest"):
        with h5py.File(at / f"{kind}.h5", "w", libver=(kind, kind) if kind != "earliest" else kind) as file:
            file["grid"] = grid
    for kind in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4"):
        with netCDF4.Dataset(at / f"{kind.lower()}.nc", "w", format=kind) as file:
            file.createDimension("x", 1000)
            file.createVariable("grid", "f8", ("x",))[:] = grid
    scan = pydicom.dcmread(pydicom.data.get_testdata_file("CT_small.dcm"))
    scan.save_as(at / "scan.dcm")
    for version in ("1.2", "1.3", "1.4"):
        laspy.LasData(laspy.LasHeader(version=version, point_format=1 if version != "1.4" else 6)).write(
            str(at / f"points-{version}.las"))
    cards = ["SIMPLE  =                    T", "BITPIX  =                    8",
             "NAXIS   =                    0", "END"]
    (at / "sky.fits").write_bytes("".join(c.ljust(80) for c in cards).ljust(2880).encode())


def maps(at: Path) -> None:
    import shapefile

    with shapefile.Writer(str(at / "places")) as shapes:
        shapes.field("name", "C")
        for n in range(20):
            shapes.point(n, n)
            shapes.record(f"place {n}")
    base = sqlite3.connect(at / "map.gpkg")
    base.execute("pragma application_id = 1196444487")
    base.execute("pragma user_version = 10300")
    base.execute("create table gpkg_contents (table_name text)")
    base.commit()
    base.close()
    (at / "track.gpx").write_text(
        '<?xml version="1.0"?>\n<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"></gpx>\n')
    (at / "place.kml").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document/></kml>\n')
    (at / "place.geojson").write_text('{"type": "FeatureCollection", "features": []}\n')


def drawings(at: Path) -> None:
    import ezdxf

    for version in ("R12", "R2000", "R2004", "R2007", "R2010", "R2013", "R2018"):
        plan = ezdxf.new(version)
        plan.modelspace().add_line((0, 0), (10, 10))
        plan.saveas(at / f"plan-{version}.dxf")
    plan = ezdxf.new("R2000")
    plan.saveas(at / "plan-binary.dxf", fmt="bin")
    (at / "cube.stl").write_text("solid cube\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n"
                                 "vertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid cube\n")
    (at / "cube.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")


def sounds(at: Path) -> None:
    import mido
    import numpy
    import soundfile

    tone = (numpy.sin(numpy.arange(22050) * 440 * 2 * math.pi / 22050) * 0.5).astype("float32")
    for kind, subtypes in (("wav", "PCM_16 PCM_24 FLOAT ALAW"), ("flac", "PCM_16"), ("ogg", "VORBIS OPUS"),
                           ("aiff", "PCM_16 FLOAT"), ("au", "PCM_16"), ("mp3", "MPEG_LAYER_III"),
                           ("caf", "PCM_16"), ("w64", "PCM_16"), ("rf64", "PCM_16"), ("voc", "PCM_U8"),
                           ("wavex", "PCM_16"), ("svx", "PCM_16"), ("nist", "PCM_16"), ("avr", "PCM_16"),
                           ("ircam", "PCM_16"), ("mat5", "PCM_16"), ("pvf", "PCM_16"), ("xi", "DPCM_16")):
        for subtype in subtypes.split():
            rate = 48000 if subtype == "OPUS" else 44100 if kind == "xi" else 22050
            suffix = {"wavex": "wav", "rf64": "wav", "mat5": "mat"}.get(kind, kind)
            soundfile.write(at / f"{kind}-{subtype.lower()}.{suffix}", tone, rate,
                            format=kind.upper(), subtype=subtype)
    with wave.open(str(at / "plain.wav"), "wb") as out:
        out.setparams((1, 2, 8000, 0, "NONE", "none"))
        out.writeframes(bytes(16000))
    song = mido.MidiFile()
    track = mido.MidiTrack()
    song.tracks.append(track)
    track.append(mido.Message("note_on", note=60, time=32))
    song.save(at / "song.mid")


def videos(at: Path) -> Iterator[str]:
    import av
    import numpy

    frame = numpy.zeros((64, 64, 3), dtype="uint8")
    for suffix, codec in (("mp4", "mpeg4"), ("mov", "mpeg4"), ("mkv", "mpeg4"), ("avi", "mpeg4"),
                          ("webm", "libvpx"), ("flv", "flv"), ("mpg", "mpeg1video"), ("ts", "mpeg2video"),
                          ("wmv", "wmv2"), ("asf", "wmv1"), ("3gp", "mpeg4"), ("mxf", "mpeg2video"),
                          ("y4m", "rawvideo"), ("nut", "mpeg4"), ("m2v", "mpeg2video"),
                          ("mjpeg", "mjpeg"), ("swf", "flv"), ("vob", "mpeg2video")):
        try:
            with av.open(str(at / f"clip.{suffix}"), "w") as out:
                stream = out.add_stream(codec, rate=25)
                stream.width = stream.height = 64
                stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
                for _ in range(5):
                    for packet in stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")):
                        out.mux(packet)
                for packet in stream.encode():
                    out.mux(packet)
        except (av.FFmpegError, ValueError, KeyError, RuntimeError) as problem:
            (at / f"clip.{suffix}").unlink(missing_ok=True)
            yield f"videos: {suffix}: {problem}"


def archives(at: Path) -> None:
    text = (WORDS * 200).encode()
    for name, pack in (("text.txt.gz", gzip.compress), ("text.txt.bz2", bz2.compress),
                       ("text.txt.xz", lzma.compress),
                       ("text.lzma", lambda d: lzma.compress(d, lzma.FORMAT_ALONE))):
        (at / name).write_bytes(pack(text))
    for suffix, mode, form in (("tar", "w", tarfile.USTAR_FORMAT), ("pax.tar", "w", tarfile.PAX_FORMAT),
                               ("gnu.tar", "w", tarfile.GNU_FORMAT), ("tar.gz", "w:gz", tarfile.PAX_FORMAT),
                               ("tgz", "w:gz", tarfile.PAX_FORMAT), ("tar.bz2", "w:bz2", tarfile.PAX_FORMAT),
                               ("tar.xz", "w:xz", tarfile.PAX_FORMAT)):
        with tarfile.open(at / f"pack.{suffix}", mode, format=form) as out:
            out.addfile(entry := tarfile.TarInfo("text.txt"), None)
            entry.size = len(text)
            out.addfile(entry, io.BytesIO(text))
    for name, method in (("stored.zip", zipfile.ZIP_STORED), ("deflated.zip", zipfile.ZIP_DEFLATED),
                         ("bzip2.zip", zipfile.ZIP_BZIP2), ("lzma.zip", zipfile.ZIP_LZMA),
                         ("pack.whl", zipfile.ZIP_DEFLATED), ("pack.zzz", zipfile.ZIP_DEFLATED),
                         ("pack", zipfile.ZIP_DEFLATED), ("plain.jar", zipfile.ZIP_DEFLATED)):
        with zipfile.ZipFile(at / name, "w", method) as out:
            out.writestr("text.txt", text)
    with zipfile.ZipFile(at / "nothing.zip", "w"):
        pass
    with zipfile.ZipFile(at / "classes.jar", "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\n\r\n")
        out.writestr("A.class", struct.pack(">IHH", 0xCAFEBABE, 0, 52))
    shutil.copyfile(at / "classes.jar", at / "jar-as.zip")


def more_archives(at: Path) -> None:
    import lz4.frame
    import py7zr
    import pycdlib
    import zstandard

    text = (WORDS * 200).encode()
    with py7zr.SevenZipFile(at / "pack.7z", "w") as out:
        out.writestr(text, "text.txt")
    (at / "text.zst").write_bytes(zstandard.compress(text))
    (at / "text.lz4").write_bytes(lz4.frame.compress(text))
    for name, more in (("plain.iso", {}), ("joliet.iso", {"joliet": 3}), ("udf.iso", {"udf": "2.60"})):
        disc = pycdlib.PyCdlib()
        disc.new(**more)
        disc.add_fp(io.BytesIO(text), len(text), "/TEXT.TXT;1")
        disc.write(str(at / name))
        disc.close()


def bases(at: Path) -> None:
    for suffix in ("sqlite", "db", "sqlite3"):
        base = sqlite3.connect(at / f"base.{suffix}")
        base.execute("create table words (word text)")
        base.executemany("insert into words values (?)", [(w,) for w in WORDS.split()])
        base.commit()
        base.close()
    value = {"title": TITLE, "list": [1, 2, 3]}
    (at / "binary.plist").write_bytes(plistlib.dumps(value, fmt=plistlib.FMT_BINARY))
    (at / "xml.plist").write_bytes(plistlib.dumps(value))


def mails(at: Path) -> None:
    import warcio.warcwriter

    letter = email.message.EmailMessage()
    letter["From"], letter["To"], letter["Subject"] = "a@example.org", "b@example.org", TITLE
    letter["Date"] = "Mon, 01 Jan 2024 10:00:00 +0000"
    letter["Message-ID"] = "<1@example.org>"
    letter.set_content(WORDS)
    (at / "plain.eml").write_bytes(bytes(letter))
    letter.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="a.pdf")
    (at / "attached.eml").write_bytes(b"Return-Path: <a@example.org>\nReceived: from x by y\n" + bytes(letter))
    box = mailbox.mbox(at / "box.mbox")
    box.add(letter)
    box.close()
    for name, packed in (("web.warc", False), ("web.warc.gz", True)):
        with open(at / name, "wb") as out:
            writer = warcio.warcwriter.WARCWriter(out, gzip=packed)
            record = writer.create_warc_record(
                "http://example.org/", "resource", payload=io.BytesIO(WORDS.encode()),
                warc_headers_dict={"WARC-Date": "2024-01-01T00:00:00Z",
                                   "WARC-Record-ID": "<urn:uuid:00000000-0000-4000-8000-000000000000>"})
            writer.write_record(record)


def fonts(at: Path) -> None:
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    build = FontBuilder(1000, isTTF=True)
    build.setupGlyphOrder([".notdef"])
    build.setupCharacterMap({})
    build.setupGlyf({".notdef": TTGlyphPen(None).glyph()})
    build.setupHorizontalMetrics({".notdef": (500, 0)})
    build.setupHorizontalHeader()
    build.setupNameTable({"familyName": TITLE, "styleName": "Regular"})
    build.setupOS2()
    build.setupPost()
    for flavour, suffix in ((None, "ttf"), ("woff", "woff"), ("woff2", "woff2")):
        build.font.flavor = flavour
        build.font.save(at / f"font.{suffix}")


TEXTS = {
    "html5.html": "<!DOCTYPE html>\n<html><head><title>x</title></head><body></body></html>\n",
    "html401.html": '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">\n'
                    "<html><head><title>x</title></head><body></body></html>\n",
    "html32.htm": '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">\n<html><body>x</body></html>\n',
    "xhtml.xhtml": '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
                   '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">\n'
                   '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body/></html>\n',
    "fragment.html": "<p>only a part</p>\n",
    "page": "<html><head><title>x</title></head><body></body></html>\n",
    "declared.xml": '<?xml version="1.0" encoding="UTF-8"?>\n<root/>\n',
    "eleven.xml": '<?xml version="1.1"?>\n<root/>\n',
    "undeclared.xml": "<root/>\n", "declared": '<?xml version="1.0"?>\n<root/>\n', "undeclared": "<root/>\n",
    "scheme.xsd": '<?xml version="1.0"?>\n<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>\n',
    "drawing.svg": '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" version="1.1"></svg>\n',
    "bare.svg": '<svg xmlns="http://www.w3.org/2000/svg" version="1.1"></svg>\n',
    "data.json": json.dumps({"a": [1, 2, 3]}), "rich.rtf": "{\\rtf1\\ansi\\deff0 Hello}\n",
    "rich15.rtf": "{\\rtf1\\ansi\\ansicpg1252\\uc1 \\deff0\\deflang1033{\\fonttbl}Hello}\n",
    "day.ics": "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n",
    "three.vcf": "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A B\r\nEND:VCARD\r\n",
    "four.vcf": "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:A B\r\nEND:VCARD\r\n",
    "film.srt": "1\n00:00:01,000 --> 00:00:02,000\nhello\n\n", "film.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\nhi\n",
    "read.md": "# Title\n\ntext\n", "style.css": "body { color: red }\n", "code.js": "var a = 1;\n",
    "code.py": "import os\n", "code.c": "int main(void) { return 0; }\n", "code.rs": "fn main() {}\n",
    "run.sh": "#!/bin/sh\necho hello\n", "set.ini": "[a]\nb=1\n", "set.yaml": "a: 1\n", "set.toml": "a = 1\n",
    "set.cfg": "a = 1\n", "ask.sql": "select 1;\n", "line.log": "2024-01-01 started\n", "paper.tex":
    "\\documentclass{article}\n\\begin{document}\nx\n\\end{document}\n", "cite.bib": "@book{a, title={b}}\n",
    "plain.txt": WORDS, "plain": WORDS, "plain.zzz": WORDS, "ansi.asc": WORDS, "page.ps":
    "%!PS-Adobe-3.0\n%%Pages: 1\nshowpage\n%%EOF\n", "gedcom.ged": "0 HEAD\n1 GEDC\n2 VERS 5.5\n0 TRLR\n",
    "torrent.diff": "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n", "key.pem": "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
}


def texts(at: Path) -> None:
    for name, text in TEXTS.items():
        (at / name).write_text(text, encoding="utf-8")
    for name, coding in (("latin1.txt", "latin-1"), ("utf16.txt", "utf-16"), ("utf8bom.txt", "utf-8-sig"),
                         ("utf16le.txt", "utf-16-le"), ("utf32.txt", "utf-32"), ("ebcdic.txt", "cp500"),
                         ("latin1", "latin-1"), ("utf16", "utf-16"), ("ebcdic", "cp500")):
        (at / name).write_bytes(WORDS.encode(coding, "replace"))
    (at / "utf16.xml").write_bytes('<?xml version="1.0" encoding="UTF-16"?><a/>'.encode("utf-16"))
    (at / "bom.xml").write_bytes('<?xml version="1.0"?><a/>'.encode("utf-8-sig"))
    (at / "long.txt").write_bytes(b"a" * 20000 + bytes(10))
    for suffix, mark in (("csv", ","), ("tsv", "\t"), ("tab", "\t")):
        with open(at / f"table.{suffix}", "w", newline="") as out:
            csv.writer(out, delimiter=mark).writerows([n, n * n, "x"] for n in range(50))


MAKERS: tuple[Callable, ...] = (
    office, opendocument, pdfs, pictures, more_pictures, books, science, maps, drawings,
    sounds, videos, archives, more_archives, bases, mails, fonts, texts,
)


def make_all(root: Path) -> list[str]:
    """Run each maker in its own folder; return what could not be made."""
    problems: list[str] = []
    for maker in MAKERS:
        at = root / maker.__name__
        at.mkdir()
        try:
            # One fixed time, for archives carry the hour they were made in.
            with unittest.mock.patch("time.time", return_value=1_700_000_000.0):
                problems += maker(at) or ()
        except Exception as problem:  # a missing or changed library loses its own files only
            problems.append(f"{maker.__name__}: {type(problem).__name__}: {problem}")
    return problems
