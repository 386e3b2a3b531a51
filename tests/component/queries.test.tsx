import { QueryClientProvider } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { expect, test, vi } from "vitest";
import { usePlanWatch } from "#components/billing/plan-watch.ts";
import { PinFace } from "#components/shared/pin.tsx";
import { ServerState } from "#components/shared/server-state.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { createQueryClient } from "#lib/client/query-client.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { subscriptionTo } from "#tests/support/component/billing.ts";
import { answerCalls } from "#tests/support/component/calls.ts";
import { render } from "#tests/support/component/render.tsx";

const macrotasks = async (count: number): Promise<void> => {
  for (let at = 0; at < count; at += 1) await new Promise((resolve) => setTimeout(resolve));
};

test("a new placeholder on each render does not cause another render", async () => {
  const client = createQueryClient(() => {});
  let renders = 0;
  function Screen() {
    renders += 1;
    const [hasStarted, setStarted] = useState(false);
    useEffect(() => setStarted(true), []);
    const { data } = useApiQuery(["never"], () => new Promise<{ text: string }>(() => {}), {
      placeholderData: () => ({ text: "painted" }),
    });
    return <p data-started={hasStarted}>{data?.text}</p>;
  }
  const screen = await render(
    <QueryClientProvider client={client}>
      <Screen />
    </QueryClientProvider>,
  );
  await expect.element(screen.getByText("painted")).toBeVisible();
  await macrotasks(30);
  expect(renders).toBeLessThan(8);
});

test("a tab is not selected when it regains the focus with the window", async () => {
  const chosen: string[] = [];
  function Screen() {
    const [value, setValue] = useState("one");
    const tabs = ["one", "two", "three"].map((name) => ({ value: name, label: name }));
    const change = (next: string) => {
      chosen.push(next);
      setValue(next);
    };
    return <Tabs label="Numbers" panelId="numbers" tabs={tabs} value={value} onChange={change} />;
  }
  const screen = await render(<Screen />);
  const [, , third] = screen.container.querySelectorAll<HTMLElement>("[role=tab]");
  third?.dispatchEvent(new FocusEvent("focusin", { bubbles: true, relatedTarget: null }));
  third?.focus();
  expect(chosen).toEqual([]);
  await screen.getByRole("tab", { name: "two" }).click();
  expect(new Set(chosen)).toEqual(new Set(["two"]));
});

test("does not poll for a payment that ends after the page was left", async () => {
  const calls = answerCalls({ "GET /api/users/subscription/": subscriptionTo("basic") });
  const arrived = vi.fn();
  let begin: (() => void) | undefined;
  function Watcher() {
    const watch = usePlanWatch(arrived);
    begin = () => watch.start({ how: "paid", plan: "basic", kind: "buy" });
    return null;
  }
  const shown = await render(<Watcher />, "/pricing");
  await shown.unmount();
  begin?.();
  expect(calls.to("GET /api/users/subscription/")).toEqual([]);
});

test("an image whose signature has expired makes the page load its data again, once", async () => {
  const expired = "/api/images/signed/1700000000/AAAAAAAAAAAAAAAAAAAAAA/pins/fern.jpg";
  const valid = expired.replace("1700000000", "99999999999");
  const load = vi.fn(async () => ({ urls: [expired, expired.replace("fern", "moss"), valid] }));
  load.mockResolvedValueOnce({ urls: [valid] });
  let reload: (() => unknown) | undefined;
  function Screen() {
    const query = useApiQuery(["images"], load);
    reload = query.reload;
    return query.data?.urls.map((url) => <PinFace key={url} src={url} alt={url} isEager />);
  }
  const screen = await render(
    <ServerState>
      <Screen />
    </ServerState>,
  );
  const failed = (url: string) =>
    expect.poll(() => {
      const image = screen.container.querySelector<HTMLImageElement>(`[alt="${url}"]`);
      return image?.complete === true && image.naturalWidth === 0;
    });
  await failed(valid).toBe(true);
  expect(load).toHaveBeenCalledTimes(1);
  await reload?.();
  await failed(expired).toBe(true);
  await expect.poll(() => load.mock.calls.length).toBe(3);
  await macrotasks(30);
  expect(load).toHaveBeenCalledTimes(3);
});
