import json, os, time, urllib.request, uuid

def call(path, body=None, idempotency_key=None):
    headers = {"Authorization": f"Bearer {os.environ['API_KEY']}", "Content-Type": "application/json"}
    if idempotency_key:
        headers["Idempotency-Key"] = idempotency_key
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(os.environ["API_URL"] + path, data=data, headers=headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)

account = call("/accounts")["data"][0]
board = call(f"/accounts/{account['id']}/boards")["data"][0]
keyword = os.environ.get("KEYWORD", "small balcony garden")
generation = call("/generations", {
    "account_id": account["id"], "board_id": board["id"], "quality": "standard",
    "keywords": [{"keyword": keyword}],
}, str(uuid.uuid4()))
while not generation.get("is_finished"):
    time.sleep(3)
    generation = call(f"/generations/{generation['id']}")
for task in generation["tasks"]:
    print(task["status"], task["title"] or task["reason"])
