"use client";

import Check from "lucide-react/icons/check";
import { useState } from "react";
import { Row, Specimen, Specimens } from "#components/showcase/specimen.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { Chip, type ChipTone } from "#components/ui/chip.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { Tabs, tabId } from "#components/ui/tabs.tsx";
import { ThemeToggle } from "#components/ui/theme-toggle.tsx";

const QUALITIES = [
  { value: "high", label: "High, 2" },
  { value: "standard", label: "Standard, 1" },
] as const;

const TABS = [
  { value: "all", label: "All", count: 12 },
  { value: "drafts", label: "Drafts" },
  { value: "locked", label: "Locked", isDisabled: true },
] as const;

const TONES: readonly ChipTone[] = ["draft", "scheduled", "published", "failed", "low", "canceling", "plain"];
const PANEL = "specimen-panel";

/** One of a few, this or that, and a state in a word. */
export function Choices() {
  const [quality, setQuality] = useState<"high" | "standard">("standard");
  const [tab, setTab] = useState<"all" | "drafts" | "locked">("all");
  return (
    <Specimens id="choices" title="Choices and states">
      <Row>
        <Specimen name="checkbox">
          <Checkbox label="Remember me" />
        </Specimen>
        <Specimen name="checkbox, checked">
          <Checkbox label="Remember them" defaultChecked />
        </Specimen>
        <Specimen name="checkbox, locked">
          <Checkbox label="Remember nobody" disabled />
        </Specimen>
        <Specimen name="segment">
          <Segment label="Quality" options={QUALITIES} value={quality} onChange={setQuality} />
        </Specimen>
        <Specimen name="segment, locked">
          <Segment label="Locked quality" options={QUALITIES} value={quality} onChange={setQuality} disabled />
        </Specimen>
        <Specimen name="theme">
          <ThemeToggle />
        </Specimen>
      </Row>
      <Specimen name="tabs: one chosen, one with a count, one that cannot be chosen">
        <Tabs label="Status" tabs={TABS} value={tab} onChange={setTab} panelId={PANEL} />
        <div id={PANEL} role="tabpanel" aria-labelledby={tabId(PANEL, tab)} className="pt-3 text-sm text-ink-2">
          What belongs to “{tab}”.
        </div>
      </Specimen>
      <Row>
        {TONES.map((tone) => (
          <Specimen key={tone} name={tone}>
            <Chip tone={tone} icon={<Check aria-hidden="true" />}>
              {tone}
            </Chip>
          </Specimen>
        ))}
      </Row>
    </Specimens>
  );
}
