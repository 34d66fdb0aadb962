"""A client of the described registry, written from its description alone.

It reads everything by paging, then asks again by every filter, and compares what comes back with what
the filter means. Usage: client.py ADDRESS < {"member": {headers}, "admin": {headers}}
"""

import json
import sys
import uuid
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime

ADDRESS = sys.argv[1]
WHO = json.load(sys.stdin)
CHECKS = 0


def check(holds, *what):
    global CHECKS
    CHECKS += 1
    if not holds:
        sys.exit("not as described: " + " ".join(str(it) for it in what))


def call(headers, method, url, body=None):
    request = urllib.request.Request(url, data=body, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


class Api:
    def __init__(self, prefix, headers):
        self.prefix, self.headers = prefix, headers

    def url(self, path, pairs=()):
        query = urllib.parse.urlencode(list(pairs))
        return f"{ADDRESS}/{self.prefix}/v3/{path}" + (f"?{query}" if query else "")

    def get(self, path, pairs=(), status=200):
        code, told = call(self.headers, "GET", self.url(path, pairs))
        check(code == status, "GET", path, pairs, code, told)
        return told

    def list(self, resource, pairs=()):
        told = self.get(resource, [*pairs, ("per_page", "1000")])
        check(set(told) == {"count", "next", "previous", "results"}, resource, sorted(told))
        check(told["next"] == "" and told["previous"] == "", resource, told["next"])
        check(told["count"] == len(told["results"]), resource, pairs, told["count"])
        return told["results"]

    def walk(self, resource, per_page, pairs=()):
        """Follows `next` to the end and `previous` back."""
        rows, url, last = [], self.url(resource, [*pairs, ("per_page", per_page)]), ""
        count = None
        while url:
            code, told = call(self.headers, "GET", url)
            check(code == 200, url, code, told)
            check(count in (None, told["count"]), url, "count changed", count, told["count"])
            check(len(told["results"]) == per_page or not told["next"], url, "a page is short")
            check(told["previous"] == "" if not last else told["previous"] != "", url)
            if last:
                back = call(self.headers, "GET", told["previous"])[1]
                check(back["results"] == last["results"], url, "previous is another page")
            rows += told["results"]
            url, last, count = told["next"], told, told["count"]
        check(count == len(rows), resource, "count", count, "but rows", len(rows))
        return rows


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def same(field):
    return lambda row, value: str(row[field]).lower() == str(value).lower()


def starts(field):
    return lambda row, value: (row[field] or "").startswith(value)


def contains(field):
    return lambda row, value: value.lower() in row[field].lower()


def absent(field):
    return lambda row, value: (row[field] in (None, "")) == (value == "true")


def present(field):
    return lambda row, value: (row[field] in (None, "")) == (value != "true")


def compare(field, at_least):
    def fits(row, value):
        # A file that was never checked says so by this day, and is found by no other.
        if row[field] is None or row[field] == "2000-01-01T00:00:00.000Z":
            return False
        if isinstance(row[field], int):
            have, want = row[field], int(value)
        else:
            have, want = moment(row[field]), moment(value)
        return have >= want if at_least else have <= want

    return fits


# Filters as the description lists them. A closed set of words has nothing that is none of them:
# there, two that exclude one another find nothing.
FREE, CLOSED = "free", "closed"

FILTERS = {
    "alerts": [
        ("created_at", "span"), ("institution_id", FREE), ("type", "type"), ("user_id", "user"),
    ],
    "checksums": [
        ("algorithm", FREE), ("datetime", "span"), ("digest", "digest"),
        ("generic_file_id", FREE), ("generic_file_identifier", FREE), ("institution_id", FREE),
        ("intellectual_object_id", FREE), ("state", CLOSED),
    ],
    "deletions": [("institution_id", FREE), ("requested_at", "span")],
    "files": [
        ("identifier", FREE), ("uuid", "uuid"), ("intellectual_object_id", FREE),
        ("institution_id", FREE), ("state", CLOSED), ("storage_option", FREE),
        ("storage_option__in", "in"), ("size", "span"), ("created_at", "span"),
        ("updated_at", "span"), ("last_fixity_check", "span"),
    ],
    "institutions": [("name__contains", "contains"), ("type", CLOSED)],
    "objects": [
        ("access", CLOSED), ("alt_identifier", FREE), ("alt_identifier__starts_with", "starts"),
        ("bag_group_identifier", FREE), ("bag_group_identifier__starts_with", "starts"),
        ("bag_name", FREE), ("bagit_profile_identifier", FREE), ("created_at", "span"),
        ("etag", FREE), ("file_count", "span"), ("identifier", FREE),
        ("identifier__starts_with", "starts"), ("institution_id", FREE),
        ("institution_parent_id", FREE), ("internal_sender_description", FREE),
        ("internal_sender_identifier", FREE), ("size", "span"), ("source_organization", FREE),
        ("state", CLOSED), ("storage_option", FREE), ("updated_at", "span"),
    ],
    "events": [
        ("date_time", "span"), ("event_type", CLOSED), ("generic_file_id__is_null", "null"),
        ("identifier", "uuid"), ("institution_id", FREE), ("intellectual_object_id", FREE),
        ("intellectual_object_identifier", FREE), ("outcome", CLOSED),
    ],
    "storage_records": [("generic_file_id", FREE)],
    "items": [
        ("action", CLOSED), ("action__in", "in"), ("alt_identifier", FREE), ("bag_date", "span"),
        ("bag_group_identifier", FREE), ("bagit_profile_identifier", FREE), ("bucket", FREE),
        ("date_processed", "span"), ("etag", FREE), ("generic_file_id", FREE),
        ("generic_file_id__is_null", "null"), ("generic_file_identifier", FREE),
        ("institution_id", FREE), ("intellectual_object_id", FREE),
        ("intellectual_object_id__is_null", "null"), ("name", FREE),
        ("needs_admin_review", CLOSED), ("node__is_null", "null"), ("node__not_null", "null"),
        ("object_identifier", FREE), ("queued_at__is_null", "null"),
        ("queued_at__not_null", "null"), ("retry", CLOSED), ("size", "span"), ("stage", "stage"),
        ("stage__in", "in"), ("status", CLOSED), ("status__in", "in"), ("storage_option", FREE),
        ("user", FREE),
    ],
}

WORDS = {
    "state": ["A", "D"],
    "access": ["consortia", "institution", "restricted"],
    "type": ["MemberInstitution", "SubscriptionInstitution"],
    "event_type": ["ingestion", "deletion", "creation"],
    "outcome": ["Success", "Failure"],
    "action": ["Ingest", "Delete", "Restore Object"],
    "status": ["Success", "Failed", "Suspended"],
    "retry": ["true", "false"],
    "needs_admin_review": ["true", "false"],
}

# Where the listing would find nothing there is no test of what it finds. All others must find.
MAY_BE_EMPTY = {("items", "node__not_null")}


def ids(rows):
    return sorted(row["id"] for row in rows)


def expect(api, resource, rows, pairs, fits):
    """The rows that come back are those that fit, no more and no fewer."""
    want = [row for row in rows if fits(row)]
    have = api.list(resource, pairs)
    check(ids(have) == ids(want), resource, pairs, "gave", ids(have), "not", ids(want))
    return have


def values(rows, field):
    seen = []
    for row in rows:
        if row[field] not in (None, "") and row[field] not in seen:
            seen.append(row[field])
    return seen


def try_filter(api, resource, rows, name, kind):
    field = name.split("__")[0]
    found = values(rows, field)
    if kind == "span":
        check(found, resource, "has no", field)
        ordered = sorted(found, key=lambda it: it if isinstance(it, int) else moment(it))
        middle = ordered[len(ordered) // 2]
        for op, at_least in [("gteq", True), ("lteq", False)]:
            fits = compare(field, at_least)
            pairs = [(f"{field}__{op}", middle)]
            have = expect(api, resource, rows, pairs, lambda row: fits(row, middle))
            check(have, resource, field, "finds nothing in the middle")
        far = {"gteq": "2199-01-01T00:00:00Z", "lteq": "1999-01-01T00:00:00Z"}
        if isinstance(middle, int):
            far = {"gteq": 1 << 60, "lteq": -1}
        for op, value in far.items():
            expect(api, resource, rows, [(f"{field}__{op}", value)], lambda row: False)
        return
    if kind == "null":
        fits = present(field) if name.endswith("not_null") else absent(field)
        other = name.replace("not_null", "is_null") if name.endswith("not_null") else None
        for value in ["true", "false"]:
            expect(api, resource, rows, [(name, value)], lambda row: fits(row, value))
        pairs = [(name, "true"), (other, "true")] if other else [(name, "true"), (name, "false")]
        expect(api, resource, rows, pairs, lambda row: False)
        return
    if not found:
        check((resource, name) in MAY_BE_EMPTY, resource, "has no", field)
        return
    if kind == "in":
        some = found[:3]
        pairs = [(name, value) for value in some]
        expect(api, resource, rows, pairs, lambda row: row[field] in some)
        if field not in WORDS and field != "stage":
            expect(api, resource, rows, [(name, "nothing-of-this-name")], lambda row: False)
        return
    if kind == "starts":
        value = found[0][: max(1, len(found[0]) - 2)]
        fits = starts(field)
        expect(api, resource, rows, [(name, value)], lambda row: fits(row, value))
        expect(api, resource, rows, [(name, "\u00ff")], lambda row: False)
        return
    if kind == "contains":
        value = found[0][1:4].upper()
        fits = contains(field)
        expect(api, resource, rows, [(name, value)], lambda row: fits(row, value))
        expect(api, resource, rows, [(name, "nothing of this name")], lambda row: False)
        return
    fits = same(field)
    for value in found[:3]:
        spelt = str(value).lower() if isinstance(value, bool) else value
        have = expect(api, resource, rows, [(name, spelt)], lambda row: fits(row, value))
        check(have, resource, name, value, "finds nothing")
    nothing = {
        FREE: [(name, 999_999_999 if isinstance(found[0], int) else "nothing-of-this-name")],
        "digest": [(name, "00" * 32)],
        "uuid": [(name, "00000000-0000-4000-8000-000000000000")],
        "type": [(name, "Password Reset")],
        "user": [(name, 999_999_999)],
        "stage": [(name, "Unpack")],
    }
    excluding = [(name, word) for word in WORDS.get(field, [])[:2]]
    expect(api, resource, rows, excluding if kind == CLOSED else nothing[kind], lambda row: False)


def try_events_of_a_file(api):
    file = api.list("files", [("identifier", "archive.local/letters/data/a.txt")])[0]
    for pair in [("generic_file_id", file["id"]), ("generic_file_identifier", file["identifier"])]:
        events = api.list("events", [pair])
        check(events, "no events of", pair)
        kinds = {event["event_type"] for event in events}
        for kind in ["ingestion", "message digest calculation", "fixity check"]:
            check(kind in kinds, pair, kind, sorted(kinds))
        for event in events:
            check(event["generic_file_id"] == file["id"], pair, event)
            check("{" not in event["outcome_detail"], event)
            check("[its" not in event["outcome_detail"], event)
    check(not api.list("events", [("generic_file_id", 999_999_999)]))
    check(not api.list("events", [("generic_file_identifier", "archive.local/letters/none")]))


def try_rows_of_events(api):
    """One row for each file that an event is about, each with a number and an identifier."""
    rows = api.list("events")
    for field in ["id", "identifier"]:
        check(len({row[field] for row in rows}) == len(rows), "rows share", field)
    for row in rows:
        told = " ".join(row[field] for field in ["detail", "outcome_detail", "outcome_information"])
        check("[its" not in told and "{" not in told, "a placeholder", row)
        check((row["generic_file_id"] is None) == (row["generic_file_identifier"] is None), row)
    about_files = {row["id"]: row for row in rows if row["generic_file_id"] is not None}
    seen = {}
    for file in api.list("files"):
        of_file = api.list("events", [("generic_file_id", file["id"])])
        whole = api.get(f"files/show/{file['id']}")["premis_events"]
        check(ids(of_file) == ids(whole), "views differ", file["identifier"], ids(whole))
        for row in of_file:
            check(about_files.get(row["id"]) == row, "in the file's view only", row)
        seen.update({row["id"]: row for row in of_file})
    check(seen.keys() == about_files.keys(), "rows", len(about_files), "views", len(seen))
    check(len(seen) > len(api.list("files")), "there is more than one event of a file")
    of_both = [row for row in rows if row["generic_file_id"]][:3] + rows[:2]
    for row in of_both:
        for which in [row["id"], row["identifier"]]:
            check(api.get(f"events/show/{which}") == row, "show differs", which)
        both = [("identifier", row["identifier"]), ("generic_file_id__is_null", "false")]
        check(ids(api.list("events", both)) == ([row["id"]] if row["generic_file_id"] else []), row)
    api.get("events/show/00000000-0000-4000-8000-000000000000", status=404)


def try_days(api):
    """Its database reads a day as its first moment in UTC."""
    for resource, field in [("objects", "created_at"), ("events", "date_time"),
                            ("items", "date_processed"), ("checksums", "datetime"),
                            ("files", "created_at")]:
        rows = api.list(resource)
        day = max(row[field] for row in rows)[:10]
        for spelt in [day, f"{day} 00:00", f"{day}T00:00:00"]:
            midnight = moment(f"{day}T00:00:00Z")
            for op, fits in [("gteq", lambda it: it >= midnight), ("lteq", lambda it: it <= midnight)]:
                expect(api, resource, rows, [(f"{field}__{op}", spelt)],
                       lambda row: fits(moment(row[field])))
        expect(api, resource, rows, [(f"{field}__gteq", "0001-01-01T00:00:00Z")], lambda row: True)
        api.get(resource, [(f"{field}__gteq", "2026-13-01")], status=400)


# What the published documents promise of every row: a question mark is what may be null. Where they
# name a kind, that is what a text has to be.
PUBLISHED = {
    "alerts": "id:int institution_id:int institution_name:str institution_identifier:str type:str "
    "subject:str content:str deletion_request_id:int? created_at:time user_id:int user_name:str "
    "sent_at:time? read_at:time?",
    "checksums": "id:int algorithm:str datetime:time digest:str state:state "
    "generic_file_identifier:str generic_file_id:int intellectual_object_id:int "
    "institution_id:int created_at:time updated_at:time",
    "deletions": "id:int institution_id:int institution_name:str institution_identifier:str "
    "requested_by_id:int requested_by_name:str requested_by_email:email requested_at:time "
    "confirmed_by_id:int? confirmed_by_name:str? confirmed_by_email:email? confirmed_at:time? "
    "cancelled_by_id:int? cancelled_by_name:str? cancelled_by_email:email? cancelled_at:time? "
    "file_count:int object_count:int status:decision?",
    "files": "id:int file_format:str size:int identifier:str intellectual_object_id:int "
    "object_identifier:str access:access state:state last_fixity_check:time institution_id:int "
    "institution_name:str institution_identifier:str storage_option:str uuid:uuid md5:str "
    "sha1:str sha256:str sha512:str created_at:time updated_at:time",
    "objects": "id:int title:str description:str identifier:str alt_identifier:str? access:access "
    "bag_name:str institution_id:int created_at:time updated_at:time state:state etag:str "
    "bag_group_identifier:str? storage_option:str bagit_profile_identifier:str "
    "source_organization:str internal_sender_identifier:str? internal_sender_description:str? "
    "institution_name:str institution_identifier:str institution_type:kind "
    "institution_parent_id:int? file_count:int size:int payload_file_count:int payload_size:int",
    "events": "id:int agent:str created_at:time date_time:time detail:str event_type:str "
    "generic_file_id:int? generic_file_identifier:str? identifier:uuid institution_id:int "
    "institution_name:str intellectual_object_id:int intellectual_object_identifier:str object:str "
    "old_uuid:uuid? outcome:outcome outcome_detail:str outcome_information:str updated_at:time",
    "items": "id:int action:str alt_identifier:str? aptrust_approver:email? "
    "bagit_profile_identifier:str bag_date:time bag_group_identifier:str? bucket:str "
    "created_at:time date_processed:time deletion_request_id:int? etag:str generic_file_id:int? "
    "generic_file_identifier:str? institution_id:int institution_name:str "
    "institution_identifier:str inst_approver:email? intellectual_object_id:int? "
    "internal_sender_identifier:str? name:str needs_admin_review:bool node:str? note:str "
    "object_identifier:str? outcome:str pid:int queued_at:time? retry:bool size:int "
    "source_organization:str stage:str stage_started_at:time? status:str storage_option:str "
    "updated_at:time user:email",
    "institutions": "id:int name:str identifier:str state:state type:kind deactivated_at:time? "
    "otp_enabled:bool spot_restore_frequency:int last_spot_restore_work_item_id:int? "
    "receiving_bucket:str restore_bucket:str created_at:time updated_at:time parent_id:int? "
    "parent_name:str? parent_identifier:str? parent_state:state? parent_deactivated_at:time?",
    "storage_records": "id:int generic_file_id:int url:str",
}

KINDS = {
    "int": lambda it: type(it) is int,
    "bool": lambda it: type(it) is bool,
    "str": lambda it: type(it) is str,
    "time": lambda it: it[10] == "T" and it[-1] == "Z" and moment(it) is not None,
    "uuid": lambda it: len(it) == 36 and str(uuid.UUID(it)) == it,
    "email": lambda it: 0 < it.find("@") < len(it) - 1,
    "state": lambda it: it in ("A", "D"),
    "access": lambda it: it in ("consortia", "institution", "restricted"),
    "outcome": lambda it: it in ("Failure", "Success"),
    "decision": lambda it: it in ("Approved", "Awaiting Approval", "Rejected"),
    "kind": lambda it: it in ("MemberInstitution", "SubscriptionInstitution"),
}


def try_published_fields(api, resources):
    for resource in resources:
        for row in api.list(resource):
            for field in PUBLISHED[resource].split():
                name, kind = field.split(":")
                check(name in row, resource, "has no", name, row)
                if kind.endswith("?"):
                    check(row[name] != "", resource, name, "is empty and not null", row)
                if kind.endswith("?") and row[name] is None:
                    continue
                fits = row[name] is not None and KINDS[kind.rstrip("?")](row[name])
                check(fits, resource, name, "is no", kind, row)


# Texts that some of the rows have nothing to say for: one bag says nothing about itself, one deletion
# is not decided, and no bag is a file.
UNSAID = {
    "deletions": "confirmed_by_name confirmed_by_email cancelled_by_name cancelled_by_email",
    "institutions": "parent_name parent_identifier",
    "items": "alt_identifier bag_group_identifier generic_file_identifier "
    "internal_sender_identifier node aptrust_approver inst_approver",
    "objects": "alt_identifier bag_group_identifier internal_sender_identifier "
    "internal_sender_description",
}


def try_nulls(api):
    for resource, names in UNSAID.items():
        rows = api.list(resource)
        for name in names.split():
            check(any(row[name] is None for row in rows), resource, name, "is null nowhere")


def try_current_copies(api):
    rows = api.list("storage_records")
    older = api.list("storage_records", [("superseded", "true")])
    check(set(ids(rows)) < set(ids(older)), "a second version left no older copies")
    check(ids(api.list("storage_records", [("superseded", "false")])) == ids(rows))
    for file in api.list("files"):
        check(all(record["id"] in ids(rows) for record in file["storage_records"]), file)
    per_file = {}
    for row in rows:
        per_file.setdefault(row["generic_file_id"], []).append(row["url"])
    counts = {len(urls) for urls in per_file.values()}
    check(len(counts) == 1, "files of one storage option have as many copies", counts)
    api.get("storage_records", [("superseded", "perhaps")], status=400)
    api.get("storage_records", [("is_current", "true")], status=400)


def try_institution_by_identifier(api):
    for row in api.list("institutions"):
        check(api.get(f"institutions/show/{row['identifier']}") == row, row["identifier"])
    api.get("institutions/show/nowhere.example", status=404)


def try_deletions_by_their_work(api):
    """Where the work of a request stands is seen at its items."""
    items = [it for it in api.list("items", [("action", "Delete")])]
    for field, words in [("stage", ["Requested", "Resolve"]), ("status", ["Success", "Failed"])]:
        for word in words:
            want = {it["deletion_request_id"] for it in items if it[field] == word}
            have = {it["id"] for it in api.list("deletions", [(field, word)])}
            check(have == want, "deletions", field, word, have, want)
    check(api.list("deletions", [("stage", "Resolve")]), "no deletion is done")


def sort_key(value):
    return moment(value) if isinstance(value, str) and value[10:11] == "T" else value


def try_order(api, resource, fields):
    for field in fields:
        for direction in ["asc", "desc"]:
            rows = api.list(resource, [("sort", f"{field}__{direction}")])
            have = [sort_key(row[field]) for row in rows if row[field] is not None]
            check(have == sorted(have, reverse=direction == "desc"), resource, field, direction)


def try_pages(api, resource):
    for per_page in [1, 2, 3]:
        if per_page < 3 and resource in ("events", "checksums", "storage_records"):
            continue
        rows = api.walk(resource, per_page, [("sort", "id__asc")])
        seen = [row["id"] for row in rows]
        check(seen == sorted(set(seen)), resource, per_page, "has gaps or repeats", seen)
        check(ids(rows) == ids(api.list(resource)), resource, per_page, "is not all")
    # More rows than a page may have are no pages that are skipped.
    check(api.get(resource, [("per_page", 5000), ("page", 2)])["results"] == [], resource)
    check(api.get(resource, [("per_page", 5000), ("page", 1)])["results"] != [], resource)
    check(len(api.get(resource)["results"]) <= 20, resource)


ORDERS = {
    "objects": ["id", "identifier", "title", "size", "file_count", "created_at", "updated_at"],
    "files": ["id", "size"],
    "events": ["id", "date_time"],
    "items": ["id", "name", "action", "status", "date_processed", "size"],
    "alerts": ["id", "created_at"],
    "deletions": ["id", "requested_at"],
    "checksums": ["id", "generic_file_id"],
    "institutions": ["id", "name", "identifier"],
    "storage_records": ["id", "generic_file_id"],
}


def try_everything(api, resources):
    for resource in resources:
        rows = api.walk(resource, 50)
        check(rows, resource, "has no rows")
        for name, kind in FILTERS[resource]:
            # Members have one institution: what it has none of is not looked for.
            lonely = api.prefix == "member-api" and name == "institution_parent_id"
            if not lonely:
                try_filter(api, resource, rows, name, kind)
        try_order(api, resource, ORDERS[resource])
        try_pages(api, resource)
    try_events_of_a_file(api)
    try_deletions_by_their_work(api)
    two = api.list("items", [("sort", "action__asc"), ("sort", "id__desc")])
    keys = [(it["action"], -it["id"]) for it in two]
    check(keys == sorted(keys), "two orders", keys)


def try_shows(api, resources):
    for resource in resources:
        row = api.list(resource)[0]
        tail = f"/{row['user_id']}" if resource == "alerts" else ""
        told = api.get(f"{resource}/show/{row['id']}{tail}")
        for field in row:
            check(told[field] == row[field], resource, "show differs in", field)
        api.get(f"{resource}/show/999999999{tail}", status=404)
    for resource, name in [("objects", "identifier"), ("files", "identifier"), ("events", "identifier")]:
        row = api.list(resource)[0]
        told = api.get(f"{resource}/show/" + urllib.parse.quote(row[name]))
        check(told["id"] == row["id"], resource, row[name])


def try_refusals(member, admin):
    def handler(api, path, pairs, status):
        told = api.get(path, pairs, status)
        check(set(told) == {"StatusCode", "Error"}, path, pairs, told)
        check(told["StatusCode"] == status and told["Error"], path, pairs, told)

    for api in [member, admin]:
        for resource in ["alerts", "checksums", "deletions", "files", "objects", "events", "items"]:
            handler(api, resource, [("colour", "red")], 400)
            handler(api, resource, [("id__like", "1")], 400)
            handler(api, resource, [("page", "0")], 400)
            handler(api, resource, [("per_page", "many")], 400)
            handler(api, resource, [("sort", "id")], 400)
            handler(api, resource, [("sort", "colour__asc")], 400)
            handler(api, resource, [("cursor", "x")], 400)
        handler(api, "objects", [("created_at__gteq", "yesterday")], 400)
        handler(api, "objects", [("institution_id", "one")], 400)
        handler(api, "objects", [("access", "everybody")], 400)
        handler(api, "items", [("stage", "Storing")], 400)
        handler(api, "items", [("retry", "perhaps")], 400)
        handler(api, "objects/show/archive.local/nothing", [], 404)
        handler(api, "items/show/one", [], 400)

    def door(headers, method, url, status):
        code, told = call(headers, method, url, b"" if method != "GET" else None)
        check(code == status, method, url, code, told)
        check(set(told) == {"error"} and told["error"], method, url, told)

    for api in [member, admin]:
        door({}, "GET", api.url("objects"), 401)
        wrong = {name: value[:-4] + "AAAA" for name, value in api.headers.items()}
        door(wrong, "GET", api.url("objects"), 401)
        door(api.headers, "GET", api.url("nowhere"), 404)
        door(api.headers, "DELETE", api.url("objects"), 405)
        door(api.headers, "PUT", api.url("checksums/show/1"), 405)
    door(member.headers, "GET", admin.url("objects"), 403)
    door(member.headers, "GET", admin.url("institutions"), 403)
    door(member.headers, "POST", admin.url("objects/init_restore/1"), 403)
    door(admin.headers, "GET", member.url("institutions"), 404)


SHARED = ["objects", "files", "events", "items", "alerts", "checksums", "deletions"]
MEMBER, ADMIN = Api("member-api", WHO["member"]), Api("admin-api", WHO["admin"])
try_everything(MEMBER, SHARED)
try_everything(ADMIN, [*SHARED, "institutions", "storage_records"])
try_shows(MEMBER, SHARED)
try_shows(ADMIN, [*SHARED, "institutions", "storage_records"])
try_refusals(MEMBER, ADMIN)
for api in [MEMBER, ADMIN]:
    try_rows_of_events(api)
    try_days(api)
try_published_fields(MEMBER, SHARED)
try_published_fields(ADMIN, [*SHARED, "institutions", "storage_records"])
try_nulls(ADMIN)
try_current_copies(ADMIN)
try_institution_by_identifier(ADMIN)
owners = {row["institution_identifier"] for row in MEMBER.list("objects")}
check(owners == {"archive.local"}, "a member sees", owners)
check(len({row["institution_id"] for row in ADMIN.list("objects")}) == 3, "an administrator sees all")
whole = ADMIN.list("files", [("state", "A")])[0]
check(whole["checksums"] and whole["premis_events"] and whole["storage_records"], whole)
check(whole["storage_records"][0]["url"].startswith("file:///"), whole["storage_records"])
print(f"{CHECKS} checks")
