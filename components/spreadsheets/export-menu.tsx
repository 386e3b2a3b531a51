"use client";

import Download from "lucide-react/icons/download";
import { Button } from "#components/ui/button.tsx";
import { Menu, MenuItem } from "#components/ui/menu.tsx";
import type { PinFilter } from "#lib/features/pins/constants.ts";
import { EXPORT_STATUSES, type ExportFormat } from "#lib/features/spreadsheets/constants.ts";

const FORMATS: { format: ExportFormat; label: string }[] = [
  { format: "csv", label: "CSV, with results" },
  { format: "xlsx", label: "Excel (XLSX), with results" },
  { format: "pinterest", label: "Pinterest's bulk format" },
];

/** The browser keeps the page and saves the file, since the answer is an attachment. */
const download = (path: string): void => window.location.assign(path);

type ExportMenuProps = { accountId: string; filter: PinFilter };

/** Downloads the pins of the shown status as a spreadsheet. */
export function ExportMenu({ accountId, filter }: ExportMenuProps) {
  const status = EXPORT_STATUSES.find((known) => known === filter) ?? "all";
  return (
    <Menu
      label="Export"
      trigger={
        <Button size="sm">
          <Download aria-hidden="true" />
          Export
        </Button>
      }
    >
      {FORMATS.map(({ format, label }) => (
        <MenuItem
          key={format}
          onSelect={() =>
            download(
              `/api/users/pinterest/pins-export/${encodeURIComponent(accountId)}/?status=${status}&format=${format}`,
            )
          }
        >
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
