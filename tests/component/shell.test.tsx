import { expect, test, vi } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";
import { useSessionEnd } from "#components/shared/session.ts";
import { ApiError } from "#lib/client/api.ts";
import { clearToken } from "#lib/client/browser-storage.ts";
import { noteLogout } from "#lib/client/session-state.ts";
import { REMEMBERED_PATH_KEY } from "#lib/core/browser-keys.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { TEXTS } from "#lib/features/identity/texts.ts";
import { failWith } from "#tests/support/component/calls.ts";
import { renderScreen } from "#tests/support/component/render.tsx";
import { visited } from "#tests/support/component/router.ts";
import { holdTimers } from "#tests/support/component/timers.ts";

const open = async () => {
  const shown = await renderScreen(<input aria-label="A field" />, { path: "/app" });
  const { screen } = shown;
  const palette = screen.getByRole("dialog", { name: "Go to" });
  return {
    ...shown,
    palette,
    search: palette.getByRole("combobox"),
    sheet: screen.getByRole("dialog", { name: "Keyboard shortcuts" }),
    menu: screen.getByRole("dialog", { name: "Menu" }),
    opener: screen.getByRole("button", { name: "Open menu" }),
  };
};

test("R-NAV-04 single-key shortcuts are ignored while typing and can be turned off", async () => {
  const { screen, sheet } = await open();
  const field = screen.getByLabelText("A field");
  await field.click();
  await userEvent.keyboard("g?b");
  await expect.element(field).toHaveValue("g?b");
  await expect.element(sheet).not.toBeInTheDocument();
  (field.element() as HTMLElement).blur();
  await userEvent.keyboard("?");
  await expect.element(sheet).toBeVisible();
  const keys = [...sheet.element().querySelectorAll("[data-slot=shortcut] dd")].map((one) => one.textContent);
  expect(keys.length).toBeGreaterThan(8);
  expect(new Set(keys).size, keys.join(" ")).toBe(keys.length);
  await sheet.getByRole("checkbox", { name: /single-key/ }).click();
  await userEvent.keyboard("{Escape}");
  await expect.element(sheet).not.toBeInTheDocument();
  await screen.unmount();

  const again = await open();
  await userEvent.keyboard("?");
  // Once the palette's shortcut works, the question mark before it has been handled as well.
  await userEvent.keyboard("{Control>}k{/Control}");
  await expect.element(again.search).toHaveFocus();
  await expect.element(again.sheet).not.toBeInTheDocument();
});

test("says on every screen that pins are delayed while the service is degraded, until it is back", async () => {
  holdTimers();
  const { screen, calls } = await renderScreen(<p>A screen</p>, {
    path: "/app",
    answers: { "GET /api/health/": { degraded: true } },
  });
  const notice = screen.getByText(/^Generating and publishing are delayed right now\. Your scheduled pins are safe/);
  const requests = () => calls.to("GET /api/health/").length;
  // A single probe may just have been slow.
  await expect.poll(requests).toBe(1);
  await expect.element(notice).not.toBeInTheDocument();
  await expect
    .poll(async () => {
      await vi.advanceTimersByTimeAsync(5_000);
      return requests();
    })
    .toBeGreaterThan(1);
  await expect.element(notice).toBeVisible();
  expect(notice.element().closest("[role=status]")).not.toBeNull();
  await expect.element(screen.getByRole("link", { name: "View the status" })).toHaveAttribute("href", "/status");
  calls.set({ "GET /api/health/": failWith(503, { degraded: false }) });
  const before = requests();
  await expect
    .poll(async () => {
      await vi.advanceTimersByTimeAsync(MINUTE_MS);
      return requests();
    })
    .toBeGreaterThan(before);
  await expect.element(notice).toBeVisible();
  calls.set({ "GET /api/health/": { degraded: false } });
  await expect
    .poll(async () => {
      await vi.advanceTimersByTimeAsync(MINUTE_MS);
      return notice.query();
    })
    .toBeNull();
});

test("R-NAV-04 the drawer on phones closes on navigation, on Escape and on the current screen's link", async () => {
  await page.viewport(390, 844);
  const { menu, opener } = await open();
  await opener.click();
  await menu.getByRole("link", { name: "Board Manager" }).click();
  await expect.element(menu).not.toBeInTheDocument();
  expect(visited()).toEqual([{ kind: "push", href: "/app/board-manager" }]);
  await opener.click();
  await expect.element(menu).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(menu).not.toBeInTheDocument();
  await opener.click();
  await menu.getByRole("link", { name: "Board Manager" }).click();
  await expect.element(menu).not.toBeInTheDocument();
});

test("R-NAV-04 the drawer and the search above it restore the focus", async () => {
  await page.viewport(390, 844);
  const { palette, search, menu, opener } = await open();
  await opener.click();
  await menu.getByRole("button", { name: "Search" }).click();
  await expect.element(search).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await expect.element(palette).not.toBeInTheDocument();
  await expect.element(menu).toBeVisible();
  await expect.element(menu.getByRole("button", { name: "Search" })).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await expect.element(menu).not.toBeInTheDocument();
  await expect.element(opener).toHaveFocus();
});

test("R-NAV-05, R-NAV-06, R-NAV-07, R-NAV-09 the sidebar shows the balance and links to settings, help, logout and credits", async () => {
  await page.viewport(1440, 1000);
  const { screen } = await open();
  const sidebar = screen.getByRole("complementary", { name: "Sidebar" });
  expect(sidebar.element().querySelector("[data-slot=credit-number]")?.textContent).toBe("5");
  for (const [name, href] of [
    ["Settings", "/app/settings"],
    ["Help Center", "/contact-us"],
    ["Buy More Credits", "/app/buy-credits"],
    ["Buy Credits", "/app/buy-credits"],
    ["Upgrade to Premium", "/pricing"],
  ] as const) {
    await expect.element(sidebar.getByRole("link", { name, exact: true })).toHaveAttribute("href", href);
  }
  await expect.element(sidebar.getByRole("button", { name: "Logout" })).toBeVisible();
  await screen.unmount();

  const paid = await renderScreen(null, { path: "/app", isFreePlan: false });
  const side = paid.screen.getByRole("complementary", { name: "Sidebar" });
  await expect.element(side.getByRole("link", { name: "Buy More Credits" })).toBeVisible();
  await expect.element(side.getByRole("link", { name: "Upgrade to Premium" })).not.toBeInTheDocument();
});

test("R-NAV-04 the palette finds a screen by its aliases and opens it", async () => {
  const { palette, search } = await open();
  await userEvent.keyboard("{Control>}k{/Control}");
  await expect.element(search).toHaveFocus();
  await userEvent.keyboard("fonts");
  const chosen = () => palette.element().querySelector("[role=option][aria-selected=true]")?.textContent;
  await expect.poll(chosen).toContain("Brand Kit");
  await userEvent.keyboard("{Enter}");
  await expect.poll(visited).toEqual([{ kind: "push", href: "/app/brand" }]);
});

function FailingCall() {
  const { isSessionFailure } = useSessionEnd();
  return (
    <button type="button" onClick={() => isSessionFailure(new ApiError(401, null))}>
      Fail
    </button>
  );
}

test("R-NAV-08 a request that fails after logout does not save the path or show an expired session", async () => {
  sessionStorage.removeItem(REMEMBERED_PATH_KEY);
  const { screen } = await renderScreen(<FailingCall />, { path: "/app/settings" });
  await expect.poll(() => document.querySelector("[data-auth=authenticated]")).not.toBeNull();
  noteLogout();
  clearToken();
  await screen.getByRole("button", { name: "Fail" }).click();
  expect(sessionStorage.getItem(REMEMBERED_PATH_KEY)).toBeNull();
  await expect.element(screen.getByText(TEXTS.sessionExpired)).not.toBeInTheDocument();
  await screen.unmount();

  const next = await renderScreen(<FailingCall />, { path: "/app/settings" });
  await expect.poll(() => document.querySelector("[data-auth=authenticated]")).not.toBeNull();
  await next.screen.getByRole("button", { name: "Fail" }).click();
  await expect.element(next.screen.getByTestId("notice").getByText(TEXTS.sessionExpired)).toBeVisible();
  expect(sessionStorage.getItem(REMEMBERED_PATH_KEY)).toBe("/app/settings");
});

test("on short windows the sidebar's list scrolls, and its footer and tooltips are visible", async () => {
  await page.viewport(1440, 700);
  const { screen } = await renderScreen(<div style={{ height: 3000 }} />, { path: "/app/buy-credits" });
  const link = (name: string) => screen.getByRole("link", { name });
  const expectInView = (locator: Locator) => expect.element(locator).toBeInViewport({ ratio: 1 });
  await expectInView(link("Buy Credits"));
  for (const width of [1440, 1024]) {
    await page.viewport(width, 700);
    for (const name of ["Settings", "Help Center"]) await expectInView(link(name));
    await expectInView(screen.getByRole("button", { name: "Logout" }));
    for (const name of ["Pinterest Accounts", "Calendar", "Upgrade to Premium", "Buy Credits"]) {
      link(name).element().focus();
      await expectInView(link(name));
    }
    expect(window.scrollY).toBe(0);
  }
  // Collapsed, the label is a tooltip beside the rail.
  link("Calendar").element().focus();
  const tooltip = link("Calendar").getByText("Calendar");
  await expectInView(tooltip);
  const { right } = link("Calendar").element().getBoundingClientRect();
  expect(tooltip.element().getBoundingClientRect().left).toBeGreaterThan(right);
  const beside = document.elementFromPoint(200, 300);
  expect(beside?.closest("aside")).toBeNull();
});
