import { expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { useNotice } from "#components/ui/notice.tsx";
import { NOTICE_MS } from "#components/ui/notice-texts.ts";
import { render } from "#tests/support/component/render.tsx";
import { holdTimers } from "#tests/support/component/timers.ts";

function Buttons() {
  const notice = useNotice();
  return (
    <>
      <button type="button" onClick={() => notice.success("It is saved.")}>
        Show success
      </button>
      <button type="button" onClick={() => notice.error("It is not saved.")}>
        Show error
      </button>
    </>
  );
}

const open = async () => {
  const screen = await render(<Buttons />);
  holdTimers();
  return {
    screen,
    show: (kind: string) => screen.getByRole("button", { name: `Show ${kind}` }).click(),
    notice: screen.getByTestId("notice"),
  };
};

test.each([
  ["success", "Succès!"],
  ["error", "Erreur!"],
])(
  "R-NOTE-01, R-NOTE-02, R-TIME-02, A-09 a %s notice has its French title and closes after exactly three seconds",
  async (kind, title) => {
    const { show, notice } = await open();
    await show(kind);
    await expect.element(notice.getByText(title, { exact: true })).toHaveAttribute("lang", "fr");
    await vi.advanceTimersByTimeAsync(NOTICE_MS - 1);
    await expect.element(notice).toBeVisible();
    await vi.advanceTimersByTimeAsync(1);
    await expect.element(notice).not.toBeInTheDocument();
  },
);

test("R-NOTE-02 a second notice replaces the first and restarts the timer; Escape closes it", async () => {
  const { show, notice } = await open();
  await show("success");
  await vi.advanceTimersByTimeAsync(NOTICE_MS - 1);
  await show("error");
  await vi.advanceTimersByTimeAsync(NOTICE_MS - 1);
  expect(notice.elements()).toHaveLength(1);
  await expect.element(notice).toMatchTextContent("Erreur!");
  await userEvent.keyboard("{Escape}");
  await expect.element(notice).not.toBeInTheDocument();
});
