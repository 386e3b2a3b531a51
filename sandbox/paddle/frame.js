/** Script of the checkout frame: shows what the server returns, and posts events to the embedding page. */
const FROM = new URLSearchParams(location.search).get("from") ?? "";
const panel = document.getElementById("panel");
const problem = document.getElementById("problem");
/** The message the checkout was opened with; only the first one counts. */
let opened = null;
let isBusy = false;

const postToParent = (message) => parent.postMessage(message, FROM);
const postEvent = (event) => postToParent({ kind: "event", event });

function show(html) {
  panel.innerHTML = html;
  const first = panel.querySelector("[data-first]") ?? panel.querySelector("h1");
  first?.focus();
}

/** Returns Paddle's `{error}`, or an equivalent one if there was no readable response. */
async function request(path, body) {
  try {
    const answer = await fetch(path, { method: "POST", body: JSON.stringify(body) });
    return await answer.json();
  } catch (thrown) {
    return { error: { type: "api_error", code: "no_response", detail: String(thrown), documentation_url: "" } };
  }
}

function fail(name, error, retry) {
  const { type, code, detail, documentation_url } = error;
  panel.replaceChildren(problem.content.cloneNode(true));
  panel.querySelector("[data-detail]").textContent = `${code}: ${detail}`;
  panel.querySelector("[data-retry]").addEventListener("click", retry);
  panel.querySelector("h1").focus();
  postEvent({ name, type, code, detail, documentation_url });
}

async function post(path, body, failure = "checkout.error", retry = () => post(path, body, failure)) {
  if (isBusy) return;
  isBusy = true;
  panel.setAttribute("aria-busy", "true");
  const answer = await request(path, body);
  isBusy = false;
  panel.removeAttribute("aria-busy");
  if (answer.error) return fail(failure, answer.error, retry);
  if (answer.html) show(answer.html);
  for (const event of answer.events) postEvent(event);
  if (answer.close) postToParent({ kind: "close" });
}

panel.addEventListener("submit", (event) => {
  event.preventDefault();
  const { form = event.target } = event.submitter ?? {};
  const fields = Object.fromEntries(new FormData(event.target, event.submitter));
  const { post: path, begins, view } = form.dataset;
  if (isBusy) return;
  if (begins) postEvent(JSON.parse(begins));
  const button = event.submitter;
  if (button?.dataset.busy) button.textContent = button.dataset.busy;
  const retry = view ? () => post(view, {}) : undefined;
  void post(path, fields, begins ? "checkout.payment.error" : "checkout.error", retry);
});

/** A test card fills in the whole form. */
panel.addEventListener("click", ({ target }) => {
  const chip = target.closest?.("[data-card]");
  if (chip) {
    for (const [name, value] of Object.entries(JSON.parse(chip.dataset.card))) {
      const field = panel.querySelector(`[name="${name}"]`);
      if (field) field.value = value;
    }
    panel.querySelector("button[data-pay]")?.focus();
  }
  if (target.closest?.("[data-close]")) postToParent({ kind: "close" });
});

document.getElementById("close").addEventListener("click", () => postToParent({ kind: "close" }));

/** Keeps the focus in the checkout; Escape closes it. */
addEventListener("keydown", (event) => {
  if (event.key === "Escape") postToParent({ kind: "close" });
  if (event.key !== "Tab") return;
  const all = [...document.querySelectorAll("button, input, select, a[href], summary")];
  const reachable = all.filter((item) => !item.disabled && item.checkVisibility());
  const edge = event.shiftKey ? reachable[0] : reachable.at(-1);
  const isAtEdge =
    document.activeElement === edge || !document.activeElement?.matches("button, input, select, a, summary");
  if (!isAtEdge) return;
  event.preventDefault();
  (event.shiftKey ? reachable.at(-1) : reachable[0])?.focus();
});

addEventListener("message", ({ origin, source, data }) => {
  if (source !== parent || origin !== FROM) return;
  if (data?.kind === "open" && opened === null) {
    opened = data;
    void post("/checkout/open", { token: data.token, order: data.order });
  }
});

if (parent !== window && FROM) postToParent({ kind: "ready" });
