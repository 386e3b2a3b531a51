"use client";

import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import Plus from "lucide-react/icons/plus";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import type { ButtonStyle } from "#components/ui/button-style.ts";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { Chip, type ChipTone } from "#components/ui/chip.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Kbd } from "#components/ui/kbd.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { Spinner } from "#components/ui/spinner.tsx";
import { Tabs, tabId } from "#components/ui/tabs.tsx";
import { ThemeToggle } from "#components/ui/theme-toggle.tsx";
import { Row, Specimen, Specimens } from "./specimen.tsx";

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

/** Checkboxes, segments, tabs and chips. */
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
          <Checkbox label="Locked checkbox" disabled />
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
      <Specimen name="tabs: one selected, one with a count, one disabled">
        <Tabs label="Status" tabs={TABS} value={tab} onChange={setTab} panelId={PANEL} />
        <div id={PANEL} role="tabpanel" aria-labelledby={tabId(PANEL, tab)} className="pt-3 text-sm text-ink-2">
          Content of “{tab}”.
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

const VARIANTS: readonly NonNullable<ButtonStyle["variant"]>[] = [
  "primary",
  "secondary",
  "quiet",
  "danger-quiet",
  "danger",
];
const SIZES: readonly NonNullable<ButtonStyle["size"]>[] = ["sm", "md", "lg"];

/** Buttons in all variants. A client component, since a busy button handles clicks. */
export function Controls() {
  return (
    <Specimens id="controls" title="Buttons">
      {VARIANTS.map((variant) => (
        <Row key={variant}>
          {SIZES.map((size) => (
            <Specimen key={size} name={`${variant}, ${size}`}>
              <Button variant={variant} size={size}>
                <Plus aria-hidden="true" />
                Add board
              </Button>
            </Specimen>
          ))}
          <Specimen name={`${variant}, disabled`}>
            <Button variant={variant} disabled>
              Add board
            </Button>
          </Specimen>
          <Specimen name={`${variant}, busy`}>
            <Button variant={variant} isBusy>
              Add board
            </Button>
          </Specimen>
        </Row>
      ))}
      <Row>
        <Specimen name="busy with label">
          <Button variant="primary" isBusy busyLabel="Processing...">
            Add board
          </Button>
        </Specimen>
        <Specimen name="band, on its background">
          <span className="flex rounded-card bg-band p-4">
            <Button variant="band">Schedule 3 pins</Button>
          </span>
        </Specimen>
        <Specimen name="link styled as a button">
          <LinkButton href="/">Home</LinkButton>
        </Specimen>
        <Specimen name="icon">
          <IconButton label="Copy">
            <Copy aria-hidden="true" />
          </IconButton>
        </Specimen>
        <Specimen name="icon, disabled">
          <IconButton label="Copy this" disabled>
            <Copy aria-hidden="true" />
          </IconButton>
        </Specimen>
        <Specimen name="spinner">
          <Spinner />
        </Specimen>
        <Specimen name="keys">
          <Kbd keys={["Ctrl", "K"]} />
        </Specimen>
      </Row>
    </Specimens>
  );
}
