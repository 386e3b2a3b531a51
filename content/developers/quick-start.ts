const { API_URL, API_KEY, KEYWORD = "small balcony garden" } = process.env;

const call = async (path: string, body?: object, idempotencyKey?: string) => {
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
  const response = await fetch(`${API_URL}${path}`, {
    method: body ? "POST" : "GET",
    headers: { ...headers, ...(idempotencyKey && { "idempotency-key": idempotencyKey }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
};

const { data: accounts } = await call("/accounts");
const { data: boards } = await call(`/accounts/${accounts[0].id}/boards`);
const ids = { account_id: accounts[0].id, board_id: boards[0].id };
const request = { ...ids, quality: "standard", keywords: [{ keyword: KEYWORD }] };
let generation = await call("/generations", request, crypto.randomUUID());
do {
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  generation = await call(`/generations/${generation.id}`);
} while (!generation.is_finished);
for (const { title, status, reason } of generation.tasks) console.log(status, title ?? reason);
