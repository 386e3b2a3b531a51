"use client";

import CircleCheck from "lucide-react/icons/circle-check";
import CircleDashed from "lucide-react/icons/circle-dashed";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { useConfirmedAction } from "#components/identity/confirm-identity.tsx";
import { CopyButton } from "#components/shared/copy-button.tsx";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { outcomeOfAction } from "#lib/client/form-outcome.ts";
import { formatDateTime } from "#lib/core/time.ts";
import {
  createRecoveryCodesAction,
  disableAuthenticatorAction,
  enableAuthenticatorAction,
  setUpAuthenticatorAction,
} from "#lib/features/sign-in/actions.ts";
import { RECOVERY_CODES } from "#lib/features/sign-in/constants.ts";
import { CODE_FIELDS, checkAppCode } from "#lib/features/sign-in/policy.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";

export type TwoStepView = {
  /** ISO 8601; null while it is off. */
  onSince: string | null;
  recoveryCodesLeft: number;
};

type Setup = { secret: string; qr: { size: number; path: string } };

const LABELS = { code: "Code from your app" } as const;

/** Below this many, the screen suggests new ones. */
const FEW_CODES = 3;

/** Dark on light in both themes, as cameras expect it. */
function QrCode({ size, path }: Setup["qr"]) {
  return (
    <svg
      role="img"
      aria-label="QR code with the setup key below"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto block w-full max-w-50 rounded-control border border-line"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

type SetupFormProps = { setup: Setup; onClose: () => void; onEnabled: (codes: readonly string[]) => void };

function SetupForm({ setup, onClose, onEnabled }: SetupFormProps) {
  const run = useConfirmedAction();
  const form = useForm<"code">({
    fields: CODE_FIELDS,
    check: checkAppCode,
    send: async ({ code }) => {
      const result = await run(() => enableAuthenticatorAction({ code }));
      if (result.ok) onEnabled(result.value.recoveryCodes);
      return outcomeOfAction(result, CODE_FIELDS);
    },
  });
  return (
    <form className="mt-5 grid gap-[18px]" aria-label="Set up two-step sign-in" {...form.bind}>
      <QrCode {...setup.qr} />
      <div className="grid gap-2">
        <p className="text-sm text-ink-2">Can't scan it? Enter this setup key in your app:</p>
        <div className="flex flex-wrap items-center gap-3">
          <code className="min-w-0 font-mono text-sm wrap-anywhere" data-slot="setup-key">
            {setup.secret}
          </code>
          <CopyButton text={setup.secret.replaceAll(" ", "")}>Copy key</CopyButton>
        </div>
      </div>
      <FormSummary problem={form.problem} errors={form.errors} labels={LABELS} />
      <fieldset disabled={form.isSending}>
        <TextField
          label={LABELS.code}
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          error={form.errors.code}
          required
        />
      </fieldset>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={form.isSending}>
          Turn on
        </Button>
      </DialogActions>
    </form>
  );
}

function TwoStepOff({ onSetup }: { onSetup: (setup: Setup) => void }) {
  const run = useConfirmedAction();
  const [isBusy, setBusy] = useState(false);

  async function start(): Promise<void> {
    setBusy(true);
    const result = await run(() => setUpAuthenticatorAction({}));
    setBusy(false);
    if (result.ok) onSetup(result.value);
    else showToast(result.text);
  }

  return (
    <>
      <p className="mb-4">
        <Chip tone="draft" icon={<CircleDashed aria-hidden="true" />}>
          Off
        </Chip>
      </p>
      <Button isBusy={isBusy} onClick={start}>
        Set up
      </Button>
    </>
  );
}

type TwoStepOnProps = {
  onSince: string;
  left: number;
  timeZone: string;
  onCreated: (codes: readonly string[]) => void;
  onDisabled: () => void;
};

function TwoStepOn({ onSince, left, timeZone, onCreated, onDisabled }: TwoStepOnProps) {
  const run = useConfirmedAction();
  const [question, setQuestion] = useState<"codes" | "off" | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function createCodes(): Promise<void> {
    setBusy(true);
    const result = await run(() => createRecoveryCodesAction({}));
    setBusy(false);
    setQuestion(null);
    if (result.ok) onCreated(result.value.recoveryCodes);
    else showToast(result.text);
  }

  async function turnOff(): Promise<void> {
    setBusy(true);
    const result = await run(() => disableAuthenticatorAction({}));
    setBusy(false);
    setQuestion(null);
    showToast(result.ok ? "Two-step sign-in is off" : result.text, { hasCheck: result.ok });
    if (result.ok) onDisabled();
  }

  return (
    <>
      <p className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1">
        <Chip tone="published" icon={<CircleCheck aria-hidden="true" />}>
          On
        </Chip>
        <span className="num text-sm text-ink-3">
          Since <time dateTime={onSince}>{formatDateTime(onSince, timeZone)}</time>. {left} of {RECOVERY_CODES} recovery
          codes left.
        </span>
      </p>
      {left < FEW_CODES && (
        <Banner tone="low" className="mb-4">
          You're running out of recovery codes. Create new ones so that you can sign in if you lose your phone.
        </Banner>
      )}
      <div className="flex flex-wrap gap-3">
        <Button onClick={() => setQuestion("codes")}>Create new recovery codes</Button>
        <Button variant="danger-quiet" onClick={() => setQuestion("off")}>
          Turn off
        </Button>
      </div>
      <ConfirmDialog
        isOpen={question === "codes"}
        question="Create new recovery codes?"
        declineLabel="Cancel"
        confirmLabel="Create codes"
        isBusy={isBusy}
        onDecline={() => setQuestion(null)}
        onConfirm={createCodes}
      >
        Your current recovery codes will stop working.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={question === "off"}
        question="Turn off two-step sign-in?"
        declineLabel="Cancel"
        confirmLabel="Turn off"
        isDangerous
        isBusy={isBusy}
        onDecline={() => setQuestion(null)}
        onConfirm={turnOff}
      >
        Your password alone will be enough to sign in. Your recovery codes will stop working.
      </ConfirmDialog>
    </>
  );
}

type Shown = { kind: "setup"; setup: Setup } | { kind: "codes"; codes: readonly string[] };

const DIALOG_TEXTS = {
  setup: {
    title: "Set up two-step sign-in",
    description: "Scan this code with an authenticator app, then enter the 6 digits that the app shows.",
  },
  codes: {
    title: "Save your recovery codes",
    description:
      "If you lose your phone, use one of these codes instead of the code from your app. Each works once. We won't show them again, and you'll still need one if you reset your password.",
  },
} as const;

type TwoStepSettingProps = { state: TwoStepView; timeZone: string };

/** Turns codes from an authenticator app on and off, and creates recovery codes. */
export function TwoStepSetting({ state, timeZone: painted }: TwoStepSettingProps) {
  const timeZone = useTimeZone(painted);
  const router = useRouter();
  const [shown, setShown] = useState<Shown | null>(null);
  const content = useRef<HTMLDivElement>(null);
  const hasNewCodes = useRef(false);

  function showCodes(codes: readonly string[]): void {
    hasNewCodes.current = true;
    setShown({ kind: "codes", codes });
  }

  function finish(): void {
    setShown(null);
    router.refresh();
  }

  /** New codes are closed only by their button, so that they aren't lost by accident. */
  function close(): void {
    if (shown?.kind === "setup") setShown(null);
  }

  return (
    <div ref={content} tabIndex={-1}>
      {state.onSince === null ? (
        <TwoStepOff
          onSetup={(setup) => {
            hasNewCodes.current = false;
            setShown({ kind: "setup", setup });
          }}
        />
      ) : (
        <TwoStepOn
          onSince={state.onSince}
          left={state.recoveryCodesLeft}
          timeZone={timeZone}
          onCreated={showCodes}
          onDisabled={() => router.refresh()}
        />
      )}
      <Dialog
        isOpen={shown !== null}
        onClose={close}
        {...DIALOG_TEXTS[shown?.kind ?? "setup"]}
        focusAfter={() => (hasNewCodes.current ? content.current : null)}
      >
        {shown?.kind === "setup" && <SetupForm setup={shown.setup} onClose={close} onEnabled={showCodes} />}
        {shown?.kind === "codes" && <RecoveryCodes codes={shown.codes} onDone={finish} />}
      </Dialog>
    </div>
  );
}
