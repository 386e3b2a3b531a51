import { brokenOffText } from "#components/pins/bulk/broken-off.ts";
import type { BulkSending } from "#components/pins/bulk/use-bulk-send.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Kbd } from "#components/ui/kbd.tsx";

type SendBarProps = { count: number; sending: BulkSending };

const stateOf = ({ isSending, percents, problems, brokenOff }: BulkSending): string => {
  if (isSending && percents.size === 0) return "";
  if (isSending) {
    const sent = [...percents.values()].filter((percent) => percent === 100).length;
    return sent === percents.size ? "All images sent. They are being read." : `${sent} of ${percents.size} images sent`;
  }
  if (problems.size === 0) return brokenOff ? brokenOffText(brokenOff) : "";
  return problems.size === 1 ? "One pin needs your attention." : `${problems.size} pins need your attention.`;
};

/** The foot of the form: what stands against it, how far it has got, and the button. */
export function SendBar({ count, sending }: SendBarProps) {
  const { isSending, problem } = sending;
  const many = count === 1 ? "1 pin" : `${count} pins`;
  return (
    <div className="bulk-foot">
      {problem && (
        <Banner tone="failed" isAnnounced>
          {problem}
        </Banner>
      )}
      <div className="bulk-send">
        <p className="num text-sm text-ink-2" role="status">
          {stateOf(sending)}
        </p>
        {isSending ? (
          <Button variant="quiet" onClick={sending.stop}>
            Stop
          </Button>
        ) : (
          <span className="hidden items-center gap-1.5 text-xs text-ink-3 md:flex">
            <Kbd keys={["Ctrl", "Enter"]} />
          </span>
        )}
        <Button type="submit" variant="primary" size="lg" isBusy={isSending} busyLabel="Creating…">
          Create {many}
        </Button>
      </div>
    </div>
  );
}
