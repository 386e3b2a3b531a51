"use client";

import Copy from "lucide-react/icons/copy";
import Plus from "lucide-react/icons/plus";
import { Row, Specimen, Specimens } from "#components/showcase/specimen.tsx";
import { Button } from "#components/ui/button.tsx";
import type { ButtonSize, ButtonVariant } from "#components/ui/button-style.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Kbd } from "#components/ui/kbd.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Spinner } from "#components/ui/spinner.tsx";

const VARIANTS: readonly ButtonVariant[] = ["primary", "secondary", "quiet", "danger-quiet", "danger"];
const SIZES: readonly ButtonSize[] = ["sm", "md", "lg"];

/** Buttons and what stands in them. In the browser, since a busy button listens to clicks. */
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
        <Specimen name="busy with words">
          <Button variant="primary" isBusy busyLabel="Processing...">
            Add board
          </Button>
        </Specimen>
        <Specimen name="band, on its ground">
          <span className="flex rounded-card bg-band p-4">
            <Button variant="band">Schedule 3 pins</Button>
          </span>
        </Specimen>
        <Specimen name="link that looks like one">
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
