import { afterEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { BrandScreen } from "#components/branding/brand-screen.tsx";
import type { TEMPLATE_NAMES } from "#lib/core/images.ts";
import { DEFAULT_PAIRING, PALETTES } from "#lib/features/branding/constants.ts";
import type { BrandingWire, KitWire, PreviewsWire } from "#lib/features/branding/schema.ts";
import type { Answers, RecordedCall } from "#tests/support/component/calls.ts";
import { done, draftsOf, openPosts } from "#tests/support/component/posts.tsx";
import { renderScreen } from "#tests/support/component/render.tsx";
import { PICTURE } from "#tests/support/component/wires.ts";

const colours = PALETTES[0]?.colours ?? { panel: "#faf7f1", words: "#19251e", accent: "#1c543a" };
const kit: KitWire = { account_id: "account_1", colours, font_pairing: DEFAULT_PAIRING, logo_url: null };
const branding: BrandingWire = { kit, username: "fern", pins: [] };

/** What the server draws: every template that is asked for. */
const drawn = ({ body }: RecordedCall) => {
  const [{ templates, words }] = body as [{ templates: typeof TEMPLATE_NAMES; words: string | null }];
  const previews = templates.map((template) => ({ template, image: PICTURE, contrast: 7.1 }));
  const isShortened = words?.includes("🌿") ?? false;
  const missing = words?.includes("日") ? ["日", "本"] : [];
  return done({ previews, words: words ?? "", missing, is_shortened: isShortened } as PreviewsWire);
};
const PREVIEWS = "ACTION previewTemplatesAction";

afterEach(() => {
  vi.unstubAllGlobals();
});

test("R-NAV-04 without an account the brand kit says what to do", async () => {
  const { screen } = await renderScreen(<BrandScreen accounts={[]} first={null} />, { path: "/app/brand" });
  await expect.element(screen.getByText("No account connected yet")).toBeVisible();
  const connect = screen.getByRole("main").getByRole("link", { name: "Connect Account" });
  await expect.element(connect).toHaveAttribute("href", "/app");
});

test("words that cannot be told from their paper are told of, and pictures stay legible", async () => {
  const { screen } = await renderScreen(
    <BrandScreen accounts={[{ id: "account_1", username: "fern" }]} first={branding} />,
    { path: "/app/brand", answers: { [PREVIEWS]: drawn } },
  );
  const status = screen.getByText(/^Words on paper: contrast/);
  const says = (words: string) => expect.poll(() => status.element().textContent).toContain(words);
  await says("Easy to read.");
  await screen.getByLabelText("Words", { exact: true }).fill("#f0ede6");
  await says("Below 4.5 the words are hard to read");
  await expect.element(screen.getByText(/^Contrast of the words 7\.1/)).toBeVisible();
  await screen.getByLabelText("Accent", { exact: true }).fill("#12");
  await expect.element(screen.getByText("A colour is written as # and six digits from 0 to f.")).toBeVisible();
});

const openTemplates = async (titles: readonly string[], answers: Answers = {}) => {
  const posts = draftsOf(...titles);
  const pins = posts.map(({ id, title, status }) => ({ id, title, status, template: null }));
  const shown = await openPosts(posts, {
    answers: { [PREVIEWS]: drawn, "ACTION readBrandingAction": done({ ...branding, pins }), ...answers },
  });
  for (const title of titles) await shown.pick(title).click();
  const use = () => shown.tools.getByRole("button", { name: "Template", exact: true }).click();
  await use();
  return { ...shown, use, dialog: shown.screen.getByRole("dialog", { name: /^Template/ }) };
};

test("A-15 words typed for a template are given up only by who says so", async () => {
  const { screen, dialog, use } = await openTemplates(["Cabin"]);
  const asks = screen.getByRole("dialog", { name: "Discard your changes?" });
  const words = dialog.getByLabelText("Words", { exact: true });
  await words.fill("Words of my own");
  await userEvent.keyboard("{Escape}");
  await asks.getByRole("button", { name: "Keep editing" }).click();
  await expect.element(words).toHaveValue("Words of my own");
  await expect.element(words).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await asks.getByRole("button", { name: "Discard" }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  await use();
  await expect.element(words).toHaveValue("");
  await userEvent.keyboard("{Escape}");
  await expect.element(dialog).not.toBeInTheDocument();
});

test("A-15 letters that no font has are named, and emoji are left out", async () => {
  const { screen, dialog } = await openTemplates(["Cabin"]);
  const words = dialog.getByLabelText("Words", { exact: true });
  const apply = dialog.getByRole("button", { name: "Use template" });
  await words.fill("Łódź 🌿 in spring");
  await expect.element(screen.getByText(/Emoji are left out: the fonts have none\./)).toBeVisible();
  await words.fill("日本 tea");
  await expect.element(screen.getByText("The fonts have no letters for: 日 本. Write other words.")).toBeVisible();
  await expect.element(apply).toBeDisabled();
  await words.fill("Fern & moss");
  await expect.element(apply).toBeEnabled();
});

test("A-15 a title that no font can write keeps its pin as it is, by name, and the form goes on with it", async () => {
  const text = "The fonts have no letters for: 日 本.";
  const APPLY = "ACTION applyTemplateAction";
  const { screen, dialog, calls } = await openTemplates(["Fern shade", "日本 tea", "Moss walls"], {
    [APPLY]: done({ left: [{ id: "pin_2", title: "日本 tea", text }] }),
  });
  await dialog.getByRole("button", { name: "Use on 3 pins" }).click();
  const told = `2 of 3 pictures were changed. One pin stays as it is. “日本 tea”: ${text}`;
  await expect.poll(() => dialog.element().textContent).toContain(told);
  await expect.element(screen.getByRole("heading", { name: "Template for 1 pin", exact: true })).toBeVisible();
  await dialog.getByLabelText("Words", { exact: true }).fill("Japanese tea");
  calls.set({ [APPLY]: done({ left: [] }) });
  await dialog.getByRole("button", { name: "Use template" }).click();
  await expect.element(screen.getByText("Template on 3 pictures")).toBeVisible();
  expect(calls.to(APPLY).at(-1)?.body).toMatchObject([{ pinIds: ["pin_2"], words: "Japanese tea" }]);
});
