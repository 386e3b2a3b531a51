"use client";

import type { NavEntry } from "#components/shell/nav-entries.ts";
import { setSingleKeys, useSingleKeys } from "#components/shell/single-keys.ts";
import { useApple } from "#components/shell/use-apple.ts";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { Kbd } from "#components/ui/kbd.tsx";

type Shortcut = { label: string; keys: readonly string[] };

const REVIEW_KEYS: readonly Shortcut[] = [
  { label: "Next draft", keys: ["j"] },
  { label: "Previous draft", keys: ["k"] },
  { label: "Approve", keys: ["a"] },
  { label: "Reject", keys: ["x"] },
  { label: "Edit", keys: ["e"] },
  { label: "Undo the last choice", keys: ["u"] },
];

const WALL_KEYS: readonly Shortcut[] = [
  { label: "Search pins, or videos on their screens", keys: ["/"] },
  { label: "Choose everything up to a pin", keys: ["Shift", "Space"] },
];

const VIDEO_KEYS: readonly Shortcut[] = [
  { label: "Select all videos, or none", keys: ["l"] },
  { label: "Cards or table", keys: ["t"] },
];

function ShortcutList({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) {
  return (
    <section className="shortcut-group">
      <h3 className="label text-ink-3">{title}</h3>
      <dl>
        {shortcuts.map(({ label, keys }) => (
          <div key={label} className="shortcut">
            <dt>{label}</dt>
            <dd>
              <Kbd keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Every shortcut of the signed-in area, and the switch for those of a single key. */
export function ShortcutSheet({ entries }: { entries: readonly NavEntry[] }) {
  const areOn = useSingleKeys();
  const apple = useApple();
  const screens = entries.flatMap(({ label, letter }) => (letter ? [{ label, keys: ["g", letter] }] : []));
  return (
    <div className="mt-5 grid gap-6">
      <ShortcutList
        title="Everywhere"
        shortcuts={[
          { label: "Search screens and actions", keys: apple ? ["⌘", "K"] : ["Ctrl", "K"] },
          { label: "This list", keys: ["?"] },
          { label: "The last message, to undo", keys: [apple ? "⌥" : "Alt", "T"] },
          { label: "Close what is open", keys: ["Esc"] },
        ]}
      />
      <ShortcutList title="Go to, one key after the other" shortcuts={screens} />
      <ShortcutList title="Generated Posts" shortcuts={WALL_KEYS} />
      <ShortcutList title="Videos" shortcuts={VIDEO_KEYS} />
      <ShortcutList title="Quick review" shortcuts={REVIEW_KEYS} />
      <Checkbox
        label="Shortcuts of a single key (?, g, / and those of Videos and Quick review)"
        checked={areOn}
        onChange={(event) => setSingleKeys(event.target.checked)}
      />
    </div>
  );
}
