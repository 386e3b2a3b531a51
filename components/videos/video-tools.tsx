"use client";

import Braces from "lucide-react/icons/braces";
import CheckCheck from "lucide-react/icons/check-check";
import MoreHorizontal from "lucide-react/icons/ellipsis";
import FileText from "lucide-react/icons/file-text";
import Save from "lucide-react/icons/save";
import Sheet from "lucide-react/icons/sheet";
import Table from "lucide-react/icons/table-2";
import { Button } from "#components/ui/button.tsx";
import { Menu, MenuItem } from "#components/ui/menu.tsx";
import type { ExportFormat } from "#components/videos/extraction-messages.ts";
import { countOf, saveText, VIDEO_TEXTS } from "#components/videos/video-texts.ts";

type VideoToolsProps = {
  total: number;
  /** How many the filter lets through. */
  shown: number;
  selectedCount: number;
  areAllSelected: boolean;
  isSaving: boolean;
  onSelectAll: () => void;
  onExport: (format: ExportFormat) => void;
  onSave: () => void;
};

/** How many videos there are, and what can be done with all or the chosen ones (R-VID-16 to R-VID-19). */
export function VideoTools(props: VideoToolsProps) {
  const { total, shown, selectedCount, areAllSelected, isSaving, onSelectAll, onExport, onSave } = props;
  const part = shown === total ? null : `${shown.toLocaleString("en")} of ${countOf(total, "video")}`;
  return (
    <div className="video-tools">
      <h2 className="title-2 num">{part ?? countOf(total, "video")}</h2>
      <span className="sr-only" role="status">
        {part}
      </span>
      <Button size="sm" variant="quiet" aria-keyshortcuts="l" disabled={shown === 0} onClick={onSelectAll}>
        <CheckCheck aria-hidden="true" />
        {areAllSelected ? VIDEO_TEXTS.deselectAll : VIDEO_TEXTS.selectAll}
      </Button>
      <Button size="sm" onClick={() => onExport("json")}>
        <Braces aria-hidden="true" />
        Export JSON
      </Button>
      <Button size="sm" onClick={() => onExport("csv")}>
        <Table aria-hidden="true" />
        Export CSV
      </Button>
      <Menu
        label="More formats"
        trigger={
          <Button size="sm" aria-label="More formats">
            <MoreHorizontal aria-hidden="true" />
          </Button>
        }
      >
        <MenuItem icon={<Sheet aria-hidden="true" />} onSelect={() => onExport("xlsx")}>
          Export XLSX
        </MenuItem>
        <MenuItem icon={<FileText aria-hidden="true" />} onSelect={() => onExport("ndjson")}>
          Export NDJSON
        </MenuItem>
      </Menu>
      <Button size="sm" variant="primary" isBusy={isSaving} busyLabel="Saving..." onClick={onSave}>
        <Save aria-hidden="true" />
        {saveText(selectedCount)}
      </Button>
    </div>
  );
}
