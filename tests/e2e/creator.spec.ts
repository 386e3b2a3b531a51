import { expect, type Page } from "@playwright/test";
import { letPass, ownClock, stopClock } from "./support/clock.ts";
import { grant } from "./support/grant.ts";
import { connectQuickly, pasteLines, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const START = "**/api/users/pinterest/generate-pins/";
const TRACK = "**/api/users/pinterest/track-pin-generation/**";

const openCreator = async (page: Page): Promise<void> => {
  await page.goto("/app/evertack-creator");
  await expect(page.locator("[inert]")).toHaveCount(0);
};
const chooseBoard = (page: Page) => page.getByLabel("Board", { exact: true }).selectOption({ index: 1 });
const keyword = (page: Page, n: number) => page.getByLabel(`Keyword ${n}`, { exact: true });
const generate = (page: Page) => page.getByRole("button", { name: "Generate Content" });

test("R-AIC-01, R-AIC-02, R-AIC-03, R-AIC-04, R-ROUTE-23 the button waits for a keyword, an account, a board and a quality", async ({
  page,
}) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  await openCreator(page);
  await expect(page.getByRole("radio", { name: /High, 2 credits/ })).toBeVisible();
  await keyword(page, 1).fill("evergreen cabins");
  await expect(generate(page)).toBeDisabled();
  await chooseBoard(page);
  await expect(generate(page)).toBeEnabled();
  await page.getByRole("radio", { name: /High/ }).check();
  await expect(page.getByText("2 credits", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Add keyword" }).click();
  await expect(keyword(page, 4)).toBeVisible();
  await page.getByRole("button", { name: "Remove row 1" }).click();
  await expect(keyword(page, 4)).toBeHidden();
  await expect(generate(page)).toBeDisabled();
});

test("R-AIC-05, R-AIC-06, R-AIC-08, R-ENT-06 empty rows are left out and an empty address is null", async ({
  page,
}) => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await openCreator(page);
  await chooseBoard(page);
  await keyword(page, 2).fill("slow sunday bread");
  await page.getByLabel("URL for keyword 1 (optional)").fill("https://example.com/ignored");
  const [request] = await Promise.all([page.waitForRequest(START), generate(page).click()]);
  expect(request.postDataJSON()).toEqual({
    pinterest_account: id,
    board_id: expect.stringMatching(/^\d+$/),
    quality: "standard",
    keyword_data: [{ keyword: "slow sunday bread", url: null }],
  });
  await expect(page.getByText("Pin generation complete!")).toBeVisible({ timeout: 90_000 });
});

test("A-93, R-AIC-09, R-ERR-11 a wrong address names its row and loses nothing; a silent server gets the fallback", async ({
  page,
}) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  await openCreator(page);
  await chooseBoard(page);
  await keyword(page, 1).fill("linen bedding");
  await page.getByLabel("URL for keyword 1 (optional)").fill("not an address");
  await generate(page).click();
  await expect(page.getByRole("alert").getByText(/Row 1: /)).toBeVisible();
  await expect(keyword(page, 1)).toHaveValue("linen bedding");
  await page.route(START, (route) => route.fulfill({ status: 500, body: "" }), { times: 1 });
  await generate(page).click();
  await expect(page.getByText("Failed to start pin generation")).toBeVisible();
});

test("R-AIC-11, R-AIC-12, R-SRV-02 with credits for five of six, five start and the warning says so; then none", async ({
  page,
}) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  await openCreator(page);
  await chooseBoard(page);
  await keyword(page, 1).click();
  await pasteLines(
    page,
    ["one", "two", "three", "four", "five", "six"].map((word) => `${word} winter ideas`),
  );
  await generate(page).click();
  await expect(page.getByText(/Your credits cover 5 of 6 pins; 1 keyword was left out/)).toBeVisible();
  await expect(page.getByText("of 5 finished")).toBeVisible();
  await expect(generate(page)).toBeHidden();
  await expect(page.getByText("Pin generation complete!")).toBeVisible({ timeout: 90_000 });
  await page.getByRole("button", { name: "Make another batch" }).click();
  await chooseBoard(page);
  await keyword(page, 1).fill("one more");
  await generate(page).click();
  await expect(page.getByText(/No pins were started/)).toBeVisible();
  await expect(generate(page)).toBeVisible();
});

test("R-TRK-02, R-TRK-03, R-TRK-05, R-ERR-12, R-TIME-01 a question every three seconds, and a failing one stops it", async ({
  page,
}) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  await openCreator(page);
  await chooseBoard(page);
  await keyword(page, 1).fill("ridge walks");
  const running = {
    total_tasks: 1,
    completed_tasks: 0,
    progress_percentage: 5,
    tasks: [],
    stage_counts: { pending: 1, failed: 0 },
    estimated_time_remaining: 200,
  };
  let asked = 0;
  await page.route(TRACK, (route) => {
    asked += 1;
    // Each answer can be told from the one before: the next question waits from when it has arrived.
    const json = { ...running, estimated_time_remaining: asked === 1 ? 200 : 140 };
    return asked < 3 ? route.fulfill({ json }) : route.fulfill({ status: 500, json: { error: "x" } });
  });
  await ownClock(page);
  await stopClock(page);
  await generate(page).click();
  await expect(page.getByText("3m 20s")).toBeVisible();
  expect(asked).toBe(1);
  await letPass(page, 2_900);
  expect(asked).toBe(1);
  await letPass(page, 200);
  await expect(page.getByText("2m 20s")).toBeVisible();
  await letPass(page, 3_100);
  await expect(page.getByText("Failed to check generation status")).toBeVisible();
  await letPass(page, 30_000);
  expect(asked).toBe(3);
});

test("R-TRK-06, R-TRK-09, R-TRK-10, R-TRK-11, R-ERR-13, A-31 twelve tasks: ten bars, ten pins, two more, one failed", async ({
  page,
}) => {
  const { who, token } = await signIn(page);
  await connectQuickly(page, token);
  await grant(who.email, 20);
  await openCreator(page);
  await chooseBoard(page);
  await keyword(page, 1).click();
  await pasteLines(
    page,
    Array.from({ length: 12 }, (_, n) => (n === 3 ? "forbidden subject" : `garden idea ${n}`)),
  );
  await generate(page).click();
  await expect(page.getByText("Pin generation complete!")).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText("1 pin(s) failed to generate.")).toBeVisible();
  await expect(page.locator(".needle")).toHaveCount(10);
  await expect(page.locator(".task-grid > li")).toHaveCount(10);
  await expect(page.getByText("+2 more")).toBeVisible();
  await expect(page.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "100");
  await expect(page.getByText("14", { exact: true })).toBeVisible();
});

test("DESIGN 5.3 a reload resumes the panel of a running group", async ({ page }) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  const subject = `quiet bedroom ${Date.now()}`;
  await page.request.post(`${process.env.E2E_OPENAI_URL}/__control/faults`, {
    data: { match: "POST /v1/images/generations", delayMs: 20_000, times: 1, where: { keyword: subject } },
  });
  await openCreator(page);
  await chooseBoard(page);
  await keyword(page, 1).fill(subject);
  await Promise.all([page.waitForResponse(START), generate(page).click()]);
  await page.reload();
  await expect(page.getByText("of 1 finished")).toBeVisible();
  await expect(generate(page)).toBeHidden();
  await expect(page.getByText("Pin generation complete!")).toBeVisible({ timeout: 90_000 });
});
