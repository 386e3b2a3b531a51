import { afterEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { BrandScreen } from "#components/branding/brand-screen.tsx";
import type { TEMPLATE_NAMES } from "#lib/core/images.ts";
import { DEFAULT_PAIRING, PALETTES, TEXTS } from "#lib/features/branding/constants.ts";
import type { BrandingWire, KitWire, PreviewsWire, VoiceWire } from "#lib/features/branding/schema.ts";
import type { Answers, RecordedCall } from "#tests/support/component/calls.ts";
import { done, draftsOf, openPins } from "#tests/support/component/pins.tsx";
import { renderScreen } from "#tests/support/component/render.tsx";
import { IMAGE } from "#tests/support/component/wires.ts";

const colors = PALETTES[0]?.colors ?? { panel: "#faf7f1", words: "#19251e", accent: "#1c543a" };
const kit: KitWire = { account_id: "account_1", colours: colors, font_pairing: DEFAULT_PAIRING, logo_url: null };
const voice: VoiceWire = {
  ...{ about: "", words_to_use: [], words_to_avoid: [], language: null, has_emoji: false, has_hashtags: true },
  ...{ image_style: null, own_styles: [], own_style: null, image_about: "", has_brand_colors: false },
};
const branding: BrandingWire = { kit, voice, username: "fern", pins: [] };

/** The server's previews of all requested templates. */
const drawn = ({ body }: RecordedCall) => {
  const [{ templates, words }] = body as [{ templates: typeof TEMPLATE_NAMES; words: string | null }];
  const previews = templates.map((template) => ({ template, image: IMAGE, contrast: 7.1 }));
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
  await expect.element(screen.getByText("No accounts connected yet")).toBeVisible();
  const connect = screen.getByRole("main").getByRole("link", { name: "Connect Account" });
  await expect.element(connect).toHaveAttribute("href", "/app");
});

test("a voice is saved as typed, an invalid word is shown at its field, and typed text survives leaving", async () => {
  const accounts = [
    { id: "account_1", username: "fern" },
    { id: "account_2", username: "moss" },
  ];
  const twice = "“cheap” can't be both a word to use and a word to avoid.";
  const refused = { ok: false, code: "invalid", text: twice, fields: { wordsToAvoid: [twice] } };
  const other = (id: string) => done({ ...branding, kit: { ...kit, account_id: id } });
  const { screen, calls } = await renderScreen(<BrandScreen accounts={accounts} first={branding} />, {
    path: "/app/brand",
    answers: {
      [PREVIEWS]: drawn,
      "ACTION saveVoiceAction": refused,
      "ACTION readBrandingAction": ({ body }) => other((body as [{ accountId: string }])[0].accountId),
    },
  });
  const save = screen.getByRole("button", { name: "Save voice" });
  await expect.element(save).toBeDisabled();
  await screen.getByLabelText("Brand voice").fill("Warm and practical");
  await screen.getByLabelText("Words to use").fill("cozy, cheap");
  await screen.getByLabelText("Words to avoid").fill("cheap");
  await screen.getByLabelText("Language").selectOptions("German");
  await screen.getByLabelText("Add hashtags").click();
  await save.click();
  await expect.element(screen.getByLabelText("Words to avoid")).toHaveAccessibleDescription(twice);
  const choice = screen.getByRole("combobox", { name: "Account" });
  await choice.selectOptions("moss");
  await expect.element(screen.getByLabelText("Brand voice")).toHaveValue("");
  await choice.selectOptions("fern");
  await expect.element(screen.getByLabelText("Words to use")).toHaveValue("cozy, cheap");
  await screen.getByLabelText("Words to avoid").fill("guilt");
  await screen.getByRole("radio", { name: "Watercolor" }).click();
  await screen.getByLabelText("Describe your images").fill("On oak");
  await screen.getByLabelText("Use the colors of this brand kit in images").click();
  const now = { ...voice, about: "Warm and practical", words_to_use: ["cozy", "cheap"], words_to_avoid: ["guilt"] };
  calls.set({
    "ACTION saveVoiceAction": done({ ...now, language: "de", has_hashtags: false, image_style: "watercolor" }),
  });
  await save.click();
  await expect.element(screen.getByText("Brand voice saved")).toBeVisible();
  await expect.element(save).toBeDisabled();
  expect(calls.to("ACTION saveVoiceAction").at(-1)?.body).toEqual([
    {
      ...{ accountId: "account_1", about: "Warm and practical", wordsToUse: ["cozy", " cheap"], language: "de" },
      ...{ wordsToAvoid: ["guilt"], hasEmoji: false, hasHashtags: false },
      ...{ imageStyle: "watercolor", ownStyles: [], ownStyle: null, imageAbout: "On oak", hasBrandColors: true },
    },
  ]);
});

test("styles of one's own are added, chosen like presets, renamed, and removed; five at most", async () => {
  const name = "ownStyles.1.about";
  const text = `${name}: ${TEXTS.styleAbout}`;
  const noWords = { ok: false, code: "invalid", text, fields: { [name]: [TEXTS.styleAbout] } };
  const first = { ...voice, image_style: "moody" as const, own_styles: [{ name: "Lino", about: "A linocut print" }] };
  const { screen, calls } = await renderScreen(
    <BrandScreen accounts={[{ id: "account_1", username: "fern" }]} first={{ ...branding, voice: first }} />,
    { path: "/app/brand", answers: { [PREVIEWS]: drawn, "ACTION saveVoiceAction": noWords } },
  );
  const add = screen.getByRole("button", { name: "Add your own style" });
  await expect.element(screen.getByRole("radio", { name: "Dark and moody" })).toBeChecked();
  await screen.getByRole("radio", { name: "Use Lino" }).click();
  await expect.element(screen.getByRole("radio", { name: "Dark and moody" })).not.toBeChecked();
  await screen.getByLabelText("Style 1 name").fill("Linocut");
  await expect.element(screen.getByRole("radio", { name: "Use Linocut" })).toBeChecked();
  for (let at = 2; at <= 5; at += 1) await add.click();
  await expect.element(add).toBeDisabled();
  for (let at = 5; at > 2; at -= 1) await screen.getByRole("button", { name: `Remove My style ${at - 1}` }).click();
  await screen.getByRole("button", { name: "Save voice" }).click();
  const about = screen.getByLabelText("Describe style 2");
  await expect.element(about).toHaveAccessibleDescription(TEXTS.styleAbout);
  await expect.element(about).toHaveFocus();
  await expect.element(screen.getByText(text)).not.toBeInTheDocument();
  expect(calls.to("ACTION saveVoiceAction").at(-1)?.body).toMatchObject([
    {
      ...{ imageStyle: null, ownStyle: "Linocut" },
      ownStyles: [
        { name: "Linocut", about: "A linocut print" },
        { name: "My style 1", about: "" },
      ],
    },
  ]);
  await screen.getByRole("button", { name: "Remove Linocut" }).click();
  await expect.element(screen.getByRole("radio", { name: "No style" })).toBeChecked();
  // The message stays with its row.
  await expect.element(screen.getByLabelText("Describe style 1")).toHaveAccessibleDescription(TEXTS.styleAbout);
  await screen.getByRole("button", { name: "Remove My style 1" }).click();
  await add.click();
  await expect.element(screen.getByLabelText("Describe style 1")).not.toHaveAccessibleDescription();
});

test("the chosen style of one's own stays chosen while others have the same name; the focus follows the rows", async () => {
  const own_styles = ["Lino", "my STYLE 1"].map((name) => ({ name, about: "A linocut print" }));
  const first = { ...voice, own_styles, own_style: "Lino" };
  const { screen, calls } = await renderScreen(
    // Of an account of its own, since what is typed is kept while the page is open.
    <BrandScreen
      accounts={[{ id: "account_own", username: "fern" }]}
      first={{ ...branding, kit: { ...kit, account_id: "account_own" }, voice: first }}
    />,
    { path: "/app/brand", answers: { [PREVIEWS]: drawn, "ACTION saveVoiceAction": done(first) } },
  );
  const add = screen.getByRole("button", { name: "Add your own style" });
  const uses = screen.getByRole("radio", { name: /^Use / });
  const second = screen.getByLabelText("Style 2 name");
  for (const typed of ["Lino", "Linocut"]) await second.fill(typed);
  await expect.element(uses.nth(0)).toBeChecked();
  await second.fill("my STYLE 1");
  await add.click();
  const third = screen.getByLabelText("Style 3 name");
  await expect.element(third).toHaveValue("My style 2");
  await expect.element(third).toHaveFocus();
  await third.fill("Lino");
  await screen.getByRole("button", { name: "Remove Lino" }).nth(1).click();
  await expect.element(screen.getByRole("button", { name: "Remove my STYLE 1" })).toHaveFocus();
  await expect.element(uses.nth(0)).toBeChecked();
  await second.fill("Linocut");
  await screen.getByRole("button", { name: "Save voice" }).click();
  await expect.element(screen.getByText("Brand voice saved")).toBeVisible();
  expect(calls.to("ACTION saveVoiceAction").at(-1)?.body).toMatchObject([{ ownStyle: "Lino" }]);
  for (const left of ["my STYLE 1", "Lino"]) await screen.getByRole("button", { name: `Remove ${left}` }).click();
  await expect.element(add).toHaveFocus();
  await expect.element(screen.getByRole("radio", { name: "No style" })).toBeChecked();
});

test("text that is hard to read on its background is reported, and images stay legible", async () => {
  const { screen } = await renderScreen(
    <BrandScreen accounts={[{ id: "account_1", username: "fern" }]} first={branding} />,
    { path: "/app/brand", answers: { [PREVIEWS]: drawn } },
  );
  const status = screen.getByText(/^Text contrast: /);
  const says = (words: string) => expect.poll(() => status.element().textContent).toContain(words);
  await says("Easy to read.");
  await screen.getByLabelText("Text", { exact: true }).fill("#f0ede6");
  await says("Below 4.5, text is hard to read");
  await expect.element(screen.getByText(/^Text contrast on this image: 7\.1/)).toBeVisible();
  await screen.getByLabelText("Accent", { exact: true }).fill("#12");
  await expect.element(screen.getByText("Enter a hex color code, like #1c543a.")).toBeVisible();
});

const openTemplates = async (titles: readonly string[], answers: Answers = {}) => {
  const pins = draftsOf(...titles);
  const brandedPins = pins.map(({ id, title, status }) => ({ id, title, status, template: null }));
  const shown = await openPins(pins, {
    answers: { [PREVIEWS]: drawn, "ACTION readBrandingAction": done({ ...branding, pins: brandedPins }), ...answers },
  });
  for (const title of titles) await shown.pick(title).click();
  const use = () => shown.tools.getByRole("button", { name: "Template", exact: true }).click();
  await use();
  return { ...shown, use, dialog: shown.screen.getByRole("dialog", { name: /^Template/ }) };
};

test("A-15 text typed for a template is discarded only after a confirmation", async () => {
  const { screen, dialog, use } = await openTemplates(["Cabin"]);
  const confirmation = screen.getByRole("dialog", { name: "Discard your changes?" });
  const words = dialog.getByLabelText("Text", { exact: true });
  await words.fill("Words of my own");
  await userEvent.keyboard("{Escape}");
  await confirmation.getByRole("button", { name: "Keep editing" }).click();
  await expect.element(words).toHaveValue("Words of my own");
  await expect.element(words).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await confirmation.getByRole("button", { name: "Discard" }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  await use();
  await expect.element(words).toHaveValue("");
  await userEvent.keyboard("{Escape}");
  await expect.element(dialog).not.toBeInTheDocument();
});

test("A-15 characters that no font has are named, and emoji are left out", async () => {
  const { screen, dialog } = await openTemplates(["Cabin"]);
  const words = dialog.getByLabelText("Text", { exact: true });
  const apply = dialog.getByRole("button", { name: "Apply template" });
  await words.fill("Łódź 🌿 in spring");
  await expect.element(screen.getByText(/Emoji are left out because the fonts don't have them\./)).toBeVisible();
  await words.fill("日本 tea");
  await expect
    .element(screen.getByText("The fonts don't support these characters: 日 本. Enter different text."))
    .toBeVisible();
  await expect.element(apply).toBeDisabled();
  await words.fill("Fern & moss");
  await expect.element(apply).toBeEnabled();
});

test("a pin that was scheduled in the meantime is refused, which keeps the form and the text", async () => {
  const APPLY = "ACTION applyTemplateAction";
  const text = "You can only change drafts and failed pins.";
  const { screen, dialog, calls } = await openTemplates(["Fern shade"], {
    [APPLY]: { ok: false, code: "wrong_state", text },
  });
  const words = dialog.getByLabelText("Text", { exact: true });
  await words.fill("Fern & moss");
  await dialog.getByRole("button", { name: "Apply template" }).click();
  await expect.element(screen.getByText(text).first()).toBeVisible();
  await expect.element(words).toHaveValue("Fern & moss");
  expect(calls.to(APPLY).map(({ body }) => body)).toMatchObject([[{ pinIds: ["pin_1"], words: "Fern & moss" }]]);
});

test("A-15 a pin whose title no font supports is skipped by name, and the form continues with it", async () => {
  const text = "The fonts don't support these characters: 日 本.";
  const APPLY = "ACTION applyTemplateAction";
  const { screen, dialog, calls } = await openTemplates(["Fern shade", "日本 tea", "Moss walls"], {
    [APPLY]: done({ skipped: [{ id: "pin_2", title: "日本 tea", text }] }),
  });
  await dialog.getByRole("button", { name: "Apply to 3 pins" }).click();
  const message = `2 of 3 images were changed. One pin was skipped. “日本 tea”: ${text}`;
  await expect.poll(() => dialog.element().textContent).toContain(message);
  await expect.element(screen.getByRole("heading", { name: "Template for 1 pin", exact: true })).toBeVisible();
  await dialog.getByLabelText("Text", { exact: true }).fill("Japanese tea");
  calls.set({ [APPLY]: done({ skipped: [] }) });
  await dialog.getByRole("button", { name: "Apply template" }).click();
  await expect.element(screen.getByText("Template applied to 3 images")).toBeVisible();
  expect(calls.to(APPLY).at(-1)?.body).toMatchObject([{ pinIds: ["pin_2"], words: "Japanese tea" }]);
});
