"use client";

import FileSpreadsheet from "lucide-react/icons/file-spreadsheet";
import FolderArchive from "lucide-react/icons/folder-archive";
import { type ReactNode, useRef, useState } from "react";
import { AccountChoice, type AccountOption } from "#components/accounts/account-choice.tsx";
import { useSessionEnd } from "#components/shared/session.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { useDroppedFiles } from "#components/ui/use-dropped-files.ts";
import { ApiError, describeFailure } from "#lib/client/api.ts";
import { upload } from "#lib/client/files.ts";
import { IMAGES_PART, SHEET_PART, TEXTS, UPLOAD_PATH } from "#lib/features/spreadsheets/constants.ts";
import type { StagedWire } from "#lib/features/spreadsheets/schema.ts";

const SHEET_TYPES = ".csv,.tsv,.txt,.xlsx,text/csv,text/tab-separated-values";

type FileFieldProps = {
  icon: ReactNode;
  label: string;
  hint: string;
  accept: string;
  file: File | null;
  isOver: boolean;
  onFile: (file: File | null) => void;
};

function FileField({ icon, label, hint, accept, file, isOver, onFile }: FileFieldProps) {
  return (
    <div className="grid gap-2">
      <label
        className={cn(
          "flex min-h-16.5 cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 rounded-control px-4 py-3 text-sm",
          "border-[1.5px] border-dashed hover:border-accent hover:bg-hover",
          "focus-within:outline-[2.5px] focus-within:outline-offset-3 focus-within:outline-focus focus-within:outline-solid",
          isOver ? "border-accent bg-hover" : "border-control",
        )}
      >
        {icon}
        <span className="min-w-0 flex-1 wrap-anywhere">
          <b className="font-semibold text-ink">{file ? file.name : label}</b>
          <span className="block text-xs text-ink-3">{hint}</span>
        </span>
        <input
          type="file"
          className="sr-only"
          aria-label={label}
          accept={accept}
          onChange={(event) => {
            onFile(event.target.files?.[0] ?? null);
            event.target.value = "";
          }}
        />
      </label>
      {file && (
        <Button size="sm" variant="quiet" className="justify-self-start" onClick={() => onFile(null)}>
          Remove {file.name}
        </Button>
      )}
    </div>
  );
}

const isZip = ({ name, type }: File): boolean => /\.zip$/i.test(name) || type === "application/zip";

interface Chosen {
  sheet: File | null;
  images: File | null;
  pasted: string;
}

const toForm = (accountId: string, { sheet, images, pasted }: Chosen): FormData => {
  const form = new FormData();
  form.set("pinterest_account", accountId);
  form.set("file_name", sheet?.name ?? "Pasted rows");
  form.set(SHEET_PART, sheet ?? new Blob([pasted]), sheet?.name ?? "pasted.txt");
  if (images) form.set(IMAGES_PART, images, images.name);
  return form;
};

/** Sends the sheet. @returns the problem, and how much is sent in percent; null while nothing is */
const useStaging = (onStaged: (importId: string) => void) => {
  const { isSessionFailure } = useSessionEnd();
  const [problem, setProblem] = useState<string | null>(null);
  const [percent, setPercent] = useState<number | null>(null);
  const send = async (accountId: string, chosen: Chosen) => {
    const form = toForm(accountId, chosen);
    const total = (chosen.sheet?.size ?? chosen.pasted.length) + (chosen.images?.size ?? 0);
    const onSent = (bytes: number) => setPercent(Math.min(100, Math.round((bytes / Math.max(1, total)) * 100)));
    setProblem(null);
    setPercent(0);
    try {
      const { signal } = new AbortController();
      const staged = await upload<StagedWire>(UPLOAD_PATH, form, { headers: {}, onSent, signal });
      onStaged(staged.import_id);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!isSessionFailure(error)) setProblem(describeFailure(error, "We couldn't read the file. Please try again."));
    } finally {
      setPercent(null);
    }
  };
  return { problem, setProblem, percent, send };
};

type UploadPanelProps = { accounts: AccountOption[]; onStaged: (importId: string) => void };

/** Takes a sheet as a file or as pasted rows, and a ZIP file with images. */
export function UploadPanel({ accounts, onStaged }: UploadPanelProps) {
  const [accountId, setAccountId] = useState(accounts[0]?.id ?? null);
  const [chosen, setChosen] = useState<Chosen>({ sheet: null, images: null, pasted: "" });
  const { problem, setProblem, percent, send } = useStaging(onStaged);
  const field = useRef<HTMLTextAreaElement>(null);
  const change = (changed: Partial<Chosen>) => setChosen((before) => ({ ...before, ...changed }));
  const isOver = useDroppedFiles((files) => {
    for (const file of files) change(isZip(file) ? { images: file } : { sheet: file });
  });
  const submit = () => {
    if (!accountId) return;
    if (!chosen.sheet && chosen.pasted.trim() === "") {
      setProblem(TEXTS.sheetNeeded);
      field.current?.focus();
    } else void send(accountId, chosen);
  };
  return (
    <form
      aria-label="Import a spreadsheet"
      className="grid max-w-190 gap-5 rounded-card bg-surface p-5.5 shadow-card max-md:p-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <AccountChoice accounts={accounts} value={accountId} onChange={setAccountId} />
      <FileField
        icon={<FileSpreadsheet aria-hidden="true" size={22} strokeWidth={1.7} />}
        label="Choose a spreadsheet, or drop it here"
        hint="CSV or XLSX, up to 5,000 rows and 20 MB. We match columns by name, and you can change any match."
        accept={SHEET_TYPES}
        file={chosen.sheet}
        isOver={isOver}
        onFile={(sheet) => change({ sheet })}
      />
      {!chosen.sheet && (
        <TextAreaField
          label="Or paste rows from a spreadsheet"
          hint="Include the row with the column names."
          rows={5}
          ref={field}
          value={chosen.pasted}
          onChange={(event) => change({ pasted: event.target.value })}
        />
      )}
      <FileField
        icon={<FolderArchive aria-hidden="true" size={22} strokeWidth={1.7} />}
        label="Add a ZIP file with images (optional)"
        hint="For sheets that name files instead of URLs. Up to 1,000 images and 500 MB."
        accept=".zip,application/zip"
        file={chosen.images}
        isOver={isOver}
        onFile={(images) => change({ images })}
      />
      {problem && (
        <Banner tone="failed" isAnnounced>
          {problem}
        </Banner>
      )}
      <div className="flex flex-wrap items-center justify-end gap-4">
        <p role="status" className="num text-sm text-ink-2">
          {percent !== null && (percent < 100 ? `${percent}% uploaded` : "Reading the spreadsheet…")}
        </p>
        <Button type="submit" variant="primary" size="lg" className="max-md:w-full" isBusy={percent !== null}>
          Review rows
        </Button>
      </div>
    </form>
  );
}
