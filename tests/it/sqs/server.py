# A server of SQS by moto on a port of its own. Reads one command as JSON from each line, and answers
# each with a line of JSON; ends when nobody is there any more.
import json
import os
import sys

os.environ.update(
    AWS_ACCESS_KEY_ID="test",
    AWS_SECRET_ACCESS_KEY="test",
    AWS_DEFAULT_REGION="eu-west-2",
    AWS_EC2_METADATA_DISABLED="true",
)

import boto3
import moto.core.responses as responses
from moto.core import DEFAULT_ACCOUNT_ID
from moto.server import ThreadedMotoServer
from moto.sqs.models import sqs_backends
from moto.sqs.responses import SQSResponse

# How many polls began, and how many were answered.
begun, ended = [], []
# Codes that the next polls are refused with.
refusals = []
receive = SQSResponse.receive_message


def counted(self):
    begun.append(1)
    if refusals:
        code = refusals.pop(0)
        return json.dumps({"__type": f"com.amazonaws.sqs#{code}"}), {"status": 503}
    answer = receive(self)
    ended.append(1)
    return answer


SQSResponse.receive_message = counted

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
endpoint = f"http://{host}:{port}"
sqs = boto3.client("sqs", endpoint_url=endpoint)
iam = boto3.client("iam", endpoint_url=endpoint)


def queue(name):
    return sqs_backends[DEFAULT_ACCOUNT_ID]["eu-west-2"].queues[name]


def create(name):
    sqs.create_queue(QueueName=name)


def send(name, body):
    url = sqs.get_queue_url(QueueName=name)["QueueUrl"]
    return sqs.send_message(QueueUrl=url, MessageBody=body)["MessageId"]


def left(name):
    # Every message that was not removed: those that anybody may be handed, and those that somebody has.
    return len(queue(name)._messages)


def visible_at(name):
    # When the first message may be handed out again, in milliseconds.
    return queue(name)._messages[0].visible_at


def handed_out(name):
    return queue(name)._messages[0].approximate_receive_count


def refuse(*codes):
    # From now on this many polls are refused, each with its code.
    refusals.extend(codes)


def polls():
    return len(begun)


def answered():
    return len(ended)


def user(actions):
    # From now on every request must be signed with the keys of somebody who may do it.
    iam.create_user(UserName="worker")
    allow = {"Effect": "Allow", "Action": actions, "Resource": "*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [allow]})
    iam.put_user_policy(UserName="worker", PolicyName="p", PolicyDocument=policy)
    key = iam.create_access_key(UserName="worker")["AccessKey"]
    return [key["AccessKeyId"], key["SecretAccessKey"]]


def lock_up():
    responses.ActionAuthenticatorMixin.request_count = 0
    responses.settings.INITIAL_NO_AUTH_ACTION_COUNT = 0


print(json.dumps(endpoint), flush=True)
for line in sys.stdin:
    name, *arguments = json.loads(line)
    print(json.dumps(globals()[name](*arguments)), flush=True)
