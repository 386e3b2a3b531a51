"use client";

import { useState } from "react";
import { ConfirmIdentity, useConfirmedAction } from "#components/identity/confirm-identity.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { Button } from "#components/ui/button.tsx";
import { buttonClass } from "#components/ui/button-style.ts";
import { DialogActions } from "#components/ui/dialog.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { outcomeOfAction } from "#lib/client/form-outcome.ts";
import { DAILY_CREDITS_DEFAULT, TEXTS as KEY_TEXTS } from "#lib/features/api-keys/constants.ts";
import { isCredits } from "#lib/features/api-keys/policy.ts";
import { approveAppAction } from "#lib/features/oauth/actions.ts";
import { TEXTS } from "#lib/features/oauth/constants.ts";
import { targetOf } from "#lib/features/oauth/policy.ts";
import type { AccessRequest, Authorization, AuthorizationQuery } from "#lib/features/oauth/schema.ts";
import type { ConfirmationMethod } from "#lib/features/sign-in/constants.ts";
import { ScopesField } from "./scopes-field.tsx";

const FIELDS = ["scopes", "dailyCredits"] as const;
const LABELS = { scopes: "Permissions", dailyCredits: "Daily credit limit" } as const;

const check = ({ scopes, dailyCredits }: Record<(typeof FIELDS)[number], string>) => ({
  ...(!scopes && { scopes: KEY_TEXTS.noScopes }),
  ...((!isCredits(dailyCredits) || dailyCredits.trim() === "") && { dailyCredits: TEXTS.creditsInvalid }),
});

type ConsentFormProps = { request: AccessRequest; query: AuthorizationQuery; declineUrl: string; onDone: () => void };

function ConsentForm({ request, query, declineUrl, onDone }: ConsentFormProps) {
  const run = useConfirmedAction();
  const form = useForm<(typeof FIELDS)[number]>({
    fields: FIELDS,
    check,
    send: async ({ scopes, dailyCredits }) => {
      const chosen = request.scopes.filter((scope) => scopes.split(" ").includes(scope));
      const result = await run(() => approveAppAction({ query, scopes: chosen, dailyCredits: Number(dailyCredits) }));
      if (!result.ok) return outcomeOfAction(result, FIELDS);
      onDone();
      window.location.assign(result.value.url);
      return { kind: "leaving" };
    },
  });
  return (
    <form className="grid max-w-[560px] gap-[18px]" aria-label={`Connect ${request.appName}`} {...form.bind}>
      <FormSummary problem={form.problem} errors={form.errors} labels={LABELS} />
      <fieldset disabled={form.isSending} className="grid gap-[18px]">
        <ScopesField
          scopes={request.scopes}
          initial={request.scopes}
          audience={request.audience}
          error={form.errors.scopes}
        />
        <TextField
          label={LABELS.dailyCredits}
          name="dailyCredits"
          inputMode="numeric"
          autoComplete="off"
          defaultValue={DAILY_CREDITS_DEFAULT}
          hint="The most it can spend on generating pins in a day (UTC)."
          error={form.errors.dailyCredits}
          required
        />
      </fieldset>
      <p className="text-sm text-pretty text-ink-3">
        We haven't reviewed this app, and it chose its own name. Connect it only if you just started this in the app.
        You'll return to <strong className="font-medium wrap-anywhere">{targetOf(request.redirectUri)}</strong>.
      </p>
      <DialogActions>
        {/* Not a Link: the address belongs to the app. */}
        <a className={buttonClass({ variant: "quiet" })} href={declineUrl}>
          Cancel
        </a>
        <Button type="submit" variant="primary" isBusy={form.isSending}>
          Connect
        </Button>
      </DialogActions>
    </form>
  );
}

type RequestProps = Omit<ConsentFormProps, "onDone"> & { email: string };

function Request({ email, ...props }: RequestProps) {
  const [isDone, setDone] = useState(false);
  const { appName, audience, scopes } = props.request;
  if (isDone) {
    return (
      <div role="status">
        <PageHeader title={`Go back to ${appName}`}>
          The app will finish connecting. You can close this page.
        </PageHeader>
      </div>
    );
  }
  return (
    <>
      <PageHeader title={`Connect ${appName}?`}>
        This gives it access to your account ({email}).{" "}
        {audience === "mcp"
          ? "It can't schedule or publish pins. You review and confirm each one. "
          : scopes.includes("schedule:write") &&
            "If you allow it to schedule, it can publish pins without asking you each time. "}
        You can disconnect it in Settings at any time.
      </PageHeader>
      <ConsentForm {...props} onDone={() => setDone(true)} />
    </>
  );
}

type ConnectAppScreenProps = {
  authorization: Authorization;
  query: AuthorizationQuery;
  email: string;
  confirmationMethods: readonly ConfirmationMethod[];
};

/** Where users let an app in that asked for access (OAuth). */
export function ConnectAppScreen({ authorization, query, email, confirmationMethods }: ConnectAppScreenProps) {
  if (authorization.kind === "request") {
    const { request, declineUrl } = authorization;
    return (
      <ConfirmIdentity methods={confirmationMethods}>
        <Request request={request} query={query} declineUrl={declineUrl} email={email} />
      </ConfirmIdentity>
    );
  }
  return (
    <>
      <PageHeader title="This app can't be connected">{authorization.text}</PageHeader>
      {authorization.kind === "refused" && (
        <a className={buttonClass({})} href={authorization.backUrl}>
          Back to {authorization.appName}
        </a>
      )}
    </>
  );
}
