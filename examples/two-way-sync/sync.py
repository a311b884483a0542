"""Keeps the companies of a Kith workspace and of another system equal, in both directions.

The other system is a folder with one JSON file for each company: {"name": "Acme", "domains": ["acme.com"]}. The name
of the file is its id there. Replace read_folder, write_company and remove_company by calls of your system.

    KITH_URL=http://localhost:3000 KITH_TOKEN=kith_... python3 sync.py FOLDER

One run reads what has changed in Kith, then sends what has changed in the folder. Run it as often as you like. It can
be stopped at any time: the next run continues.
"""

import json
import os
import sys
import time
import uuid
from pathlib import Path
from urllib.parse import urlsplit

import requests

NAMESPACE = "folder"
URL = os.environ.get("KITH_URL", "http://localhost:3000").rstrip("/")
# The address of the application is enough: its API is below /api. A domain of the API ends in /v1 here.
API = URL + ("" if URL.endswith("/v1") else "/v1" if urlsplit(URL).path else "/api/v1")
FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else "companies")
STATE_FILE = FOLDER / ".sync-state"

if not os.environ.get("KITH_TOKEN"):
    sys.exit("KITH_TOKEN is missing: an access token of the workspace.")
session = requests.Session()
session.headers["Authorization"] = "Bearer " + os.environ["KITH_TOKEN"]


class Changed(Exception):
    """The record was changed or deleted in Kith since the last run."""


class Refused(Exception):
    """Kith does not accept what was sent. The message says why."""


def call(method, path, headers=None, **request):
    """Sends a request, again after 429, 502 to 504 and lost responses. The key makes a repeated write take effect once."""
    headers = dict(headers or {})
    if method != "GET":
        headers["Idempotency-Key"] = str(uuid.uuid4())
    for attempt in range(6):
        try:
            response = session.request(method, API + path, headers=headers, timeout=60, **request)
        except (requests.ConnectionError, requests.Timeout):
            if attempt == 5:
                raise
            time.sleep(2**attempt)
            continue
        if response.status_code not in (429, 502, 503, 504) or attempt == 5:
            break
        time.sleep(float(response.headers.get("Retry-After", 2**attempt)))
    if response.status_code in (404, 412):
        raise Changed
    if response.status_code == 422:
        raise Refused(response.json()["message"])
    if response.status_code == 410:
        return None
    response.raise_for_status()
    return response.json() if response.content else None


def pull():
    """Applies the changes of Kith to the folder. What this script itself has sent does not come back."""
    cursor = state.get("cursor", "start")
    named = set() if cursor == "start" else None
    while True:
        parameters = {"cursor": cursor, "resource": "companies", "exclude_token": "self", "limit": 1000}
        page = call("GET", "/changes", params=parameters)
        if page is None:  # The cursor has expired: read everything again.
            cursor, named = "start", set()
            continue
        if named is not None and page["meta"]["phase"] == "live":
            for synced in list(state["synced"].values()):
                if synced["kith_id"] not in named:
                    drop(synced["kith_id"])
            named = None
        for entry in page["data"]:
            attributes = entry["attributes"]
            if named is not None:
                named.add(attributes["record_id"])
            if attributes["record"]:
                take(attributes["record"])
            else:
                drop(attributes["record_id"])
        cursor = state["cursor"] = page["meta"]["next_cursor"]
        save_state()
        if not page["meta"]["has_more"]:
            return


def take(record):
    attributes = record["attributes"]
    known = next(iter(attributes["external_ids"].get(NAMESPACE, [])), None)
    id = known or ids.get(record["id"]) or record["id"]
    text = text_of(attributes["name"], attributes["custom_fields"]["domains"])
    local, synced = read_company(id), state["synced"].get(id)
    # Both sides have changed: Kith's version is taken, and the other one is kept next to it.
    if local is not None and local != text and (synced is None or local != synced["text"]):
        keep_conflict(id, local)
    write_company(id, text)
    remember(id, {"kith_id": record["id"], "updated_at": attributes["updated_at"], "text": text})
    if known is None:
        # Only if the record has not changed since: otherwise that change comes next, and is not to be taken for known.
        attempt(id, lambda: link(id))


def link(id):
    synced = state["synced"][id]
    body = {"external_ids": {NAMESPACE: id}}
    document = call("PATCH", f"/companies/{synced['kith_id']}", headers=if_match(synced), json=body)
    synced["updated_at"] = document["data"]["attributes"]["updated_at"]


def drop(kith_id):
    if kith_id in ids:
        id = ids[kith_id]
        local = read_company(id)
        if local is not None and local != state["synced"][id]["text"]:
            keep_conflict(id, local)
        remove_company(id)
        forget(id)


def push():
    """Sends what has changed in the folder since the last run."""
    local = read_folder()
    for id, text in local.items():
        synced = state["synced"].get(id)
        if synced is None or synced["text"] != text:
            attempt(id, lambda: send(id, text, synced))
            save_state()
    for id, synced in list(state["synced"].items()):
        if id not in local:
            attempt(id, lambda: call("DELETE", f"/companies/{synced['kith_id']}", headers=if_match(synced)))
            forget(id)
            save_state()


def send(id, text, synced):
    """A run that was stopped after it finds the new record again, and takes it: someone may have changed it since.
    Others are sent only if they have not changed."""
    company = json.loads(text)
    body = {"name": company["name"], "custom_fields": {"domains": company["domains"]}}
    if synced is None:
        query = {"filter": {"external_ids": {NAMESPACE: {"$has_any": [id]}}}, "include": ["externalIds"]}
        found = call("POST", "/companies/query", json=query)["data"]
        if found:
            return take(found[0])
        document = call("POST", "/companies", json={"external_ids": {NAMESPACE: id}, **body})
    else:
        document = call("PATCH", f"/companies/{synced['kith_id']}", headers=if_match(synced), json=body)
    data = document["data"]
    remember(id, {"kith_id": data["id"], "updated_at": data["attributes"]["updated_at"], "text": text})


def attempt(id, work):
    """A record that was changed in Kith during this run is left to the next run, which reads the change. One that
    Kith refuses is reported, and does not stop the others."""
    try:
        work()
    except Changed:
        pass
    except Refused as refused:
        refusals.append(f"{id}: {refused}")


def if_match(synced):
    return {"If-Match": f'"{synced["updated_at"]}"'}


def remember(id, synced):
    state["synced"][id] = synced
    ids[synced["kith_id"]] = id


def forget(id):
    synced = state["synced"].pop(id)
    del ids[synced["kith_id"]]


def text_of(name, domains):
    return json.dumps({"name": name, "domains": domains}, ensure_ascii=False, separators=(",", ":")) + "\n"


def read_folder():
    return {path.stem: path.read_text() for path in FOLDER.glob("*.json")}


def read_company(id):
    path = FOLDER / f"{id}.json"
    return path.read_text() if path.exists() else None


def write_company(id, text):
    (FOLDER / f"{id}.json").write_text(text)


def keep_conflict(id, text):
    (FOLDER / f"{id}.conflict").write_text(text)


def remove_company(id):
    (FOLDER / f"{id}.json").unlink(missing_ok=True)


def save_state():
    STATE_FILE.write_text(json.dumps(state))


FOLDER.mkdir(parents=True, exist_ok=True)
state = json.loads(STATE_FILE.read_text()) if STATE_FILE.exists() else {"synced": {}}
ids = {synced["kith_id"]: id for id, synced in state["synced"].items()}  # in the folder, by those in Kith
refusals = []
try:
    pull()
    push()
except (requests.RequestException, Refused) as error:
    sys.exit(str(error))
if refusals:
    sys.exit("\n".join(refusals))
