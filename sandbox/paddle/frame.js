/** The checkout's own page, in its frame: shows what the stand-in answers, and tells the page around it. */
const FROM = new URLSearchParams(location.search).get("from") ?? "";
const panel = document.getElementById("panel");
const problem = document.getElementById("problem");
/** What the checkout was opened with; an order is answered once. */
let opened = null;
let isBusy = false;

const tell = (message) => parent.postMessage(message, FROM);
const tellEvent = (event) => tell({ kind: "event", event });

function show(html) {
  panel.innerHTML = html;
  const first = panel.querySelector("[data-first]") ?? panel.querySelector("h1");
  first?.focus();
}

/** `{error}` of Paddle's, or what is said in its place when nothing readable came. */
async function ask(path, body) {
  try {
    const answer = await fetch(path, { method: "POST", body: JSON.stringify(body) });
    return await answer.json();
  } catch (thrown) {
    return { error: { type: "api_error", code: "no_answer", detail: String(thrown), documentation_url: "" } };
  }
}

function fail(name, error, retry) {
  const { type, code, detail, documentation_url } = error;
  panel.replaceChildren(problem.content.cloneNode(true));
  panel.querySelector("[data-detail]").textContent = `${code}: ${detail}`;
  panel.querySelector("[data-retry]").addEventListener("click", retry);
  panel.querySelector("h1").focus();
  tellEvent({ name, type, code, detail, documentation_url });
}

async function post(path, body, failure = "checkout.error", retry = () => post(path, body, failure)) {
  if (isBusy) return;
  isBusy = true;
  panel.setAttribute("aria-busy", "true");
  const answer = await ask(path, body);
  isBusy = false;
  panel.removeAttribute("aria-busy");
  if (answer.error) return fail(failure, answer.error, retry);
  if (answer.html) show(answer.html);
  for (const event of answer.events) tellEvent(event);
  if (answer.close) tell({ kind: "close" });
}

panel.addEventListener("submit", (event) => {
  event.preventDefault();
  const { form = event.target } = event.submitter ?? {};
  const fields = Object.fromEntries(new FormData(event.target, event.submitter));
  const { post: path, begins, view } = form.dataset;
  if (isBusy) return;
  if (begins) tellEvent(JSON.parse(begins));
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
  if (target.closest?.("[data-close]")) tell({ kind: "close" });
});

document.getElementById("close").addEventListener("click", () => tell({ kind: "close" }));

/** Focus stays in the checkout; Escape leaves it. */
addEventListener("keydown", (event) => {
  if (event.key === "Escape") tell({ kind: "close" });
  if (event.key !== "Tab") return;
  const all = [...document.querySelectorAll("button, input, select, a[href], summary")];
  const reachable = all.filter((one) => !one.disabled && one.checkVisibility());
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

if (parent !== window && FROM) tell({ kind: "ready" });
