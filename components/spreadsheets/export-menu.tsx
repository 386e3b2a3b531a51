"use client";

import Download from "lucide-react/icons/download";
import { useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { Button } from "#components/ui/button.tsx";
import { Menu, MenuItem } from "#components/ui/menu.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import { downloadBlob } from "#lib/client/files.ts";
import type { PinFilter } from "#lib/features/pins/constants.ts";
import { EXPORT_STATUSES, type ExportFormat } from "#lib/features/spreadsheets/constants.ts";

const FORMATS: { format: ExportFormat; label: string }[] = [
  { format: "csv", label: "CSV, with results" },
  { format: "xlsx", label: "Excel (XLSX), with results" },
  { format: "pinterest", label: "Pinterest's bulk format" },
];

/** Downloads a file without leaving the page, so that a failure can be shown on it. */
const useDownload = () => {
  const { isSessionFailure } = useSessionEnd();
  const notice = useNotice();
  const [isBusy, setBusy] = useState(false);
  const download = async (path: string) => {
    setBusy(true);
    try {
      const { blob, name } = await api.getFile(path);
      downloadBlob(blob, name);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!isSessionFailure(error))
        notice.error(describeFailure(error, "We couldn't export the pins. Please try again."));
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, download };
};

type ExportMenuProps = { accountId: string; filter: PinFilter };

/** Downloads the pins of the shown status as a spreadsheet. */
export function ExportMenu({ accountId, filter }: ExportMenuProps) {
  const { isBusy, download } = useDownload();
  const status = EXPORT_STATUSES.find((known) => known === filter) ?? "all";
  const path = `/api/users/pinterest/pins-export/${encodeURIComponent(accountId)}/`;
  return (
    <Menu
      label="Export"
      trigger={
        <Button size="sm" isBusy={isBusy} busyLabel="Exporting…">
          <Download aria-hidden="true" />
          Export
        </Button>
      }
    >
      {FORMATS.map(({ format, label }) => (
        <MenuItem
          key={format}
          disabled={isBusy}
          onSelect={() => void download(`${path}?status=${status}&format=${format}`)}
        >
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
