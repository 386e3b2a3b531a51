import type { ReactNode } from "react";
import { HeldSubscriptions, type HeldView } from "#components/billing/held-subscriptions.tsx";
import { PaymentHistory } from "#components/billing/payment-history.tsx";
import { SubscriptionCard } from "#components/billing/subscription-card.tsx";
import { ConfirmIdentity } from "#components/identity/confirm-identity.tsx";
import { EmailsSetting } from "#components/notifications/emails-setting.tsx";
import { PaceSetting } from "#components/planning/pace-setting.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { buttonClass } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { ThemeToggle } from "#components/ui/theme-toggle.tsx";
import { WEBHOOKS_PATH } from "#lib/core/paths.ts";
import { isLive } from "#lib/features/billing/policy.ts";
import type { PaymentWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import type { MutableEmail } from "#lib/features/email/constants.ts";
import type { UserWire } from "#lib/features/identity/schema.ts";
import type { PaceWire } from "#lib/features/planning/schema.ts";
import type { ConfirmationMethod } from "#lib/features/sign-in/constants.ts";
import { DeleteSetting, EmailSetting, Profile, TimeZoneSetting } from "./account-settings.tsx";
import { GoogleSetting } from "./google-setting.tsx";
import { LoginsSetting, type LoginView, PasswordSetting } from "./login-settings.tsx";
import { PasskeysSetting, type PasskeyView } from "./passkey-settings.tsx";
import { SecurityActivity, type SecurityEventView } from "./security-activity.tsx";
import { TwoStepSetting, type TwoStepView } from "./two-step-settings.tsx";

type SettingsSectionProps = {
  /** URL fragment of the section. */
  id: string;
  title: string;
  description: ReactNode;
  children: ReactNode;
};

function SettingsSection({ id, title, description, children }: SettingsSectionProps) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className={cn(
        "grid grid-cols-[minmax(0,260px)_minmax(0,620px)] gap-y-5 gap-x-[clamp(28px,5vw,72px)] py-7.5",
        "border-t border-line max-lg:grid-cols-1",
      )}
    >
      <div>
        <h2 id={`${id}-title`} className="title-3">
          {title}
        </h2>
        <p className="mt-1.5 max-w-[36ch] text-sm text-pretty text-ink-3">{description}</p>
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}

type SettingsScreenProps = {
  user: UserWire;
  subscription: SubscriptionWire;
  /** Paid subscriptions that are not applied. */
  held: readonly HeldView[];
  payments: readonly PaymentWire[];
  pendingEmail: string | null;
  mutedEmails: readonly MutableEmail[];
  logins: readonly LoginView[];
  /** The connected Google account; null if sign-in with Google is off. */
  google: { email: string | null } | null;
  twoStep: TwoStepView;
  passkeys: readonly PasskeyView[];
  securityEvents: readonly SecurityEventView[];
  /** How the user can confirm sensitive changes. */
  confirmationMethods: readonly ConfirmationMethod[];
  /** The pace of each account. */
  paces: readonly PaceWire[];
  timeZone: string;
  /** Null to follow the browser. */
  chosenTimeZone: string | null;
};

/** The Settings screen. */
export function SettingsScreen(props: SettingsScreenProps) {
  const { user, subscription, held, payments, pendingEmail, mutedEmails, logins, securityEvents } = props;
  const { confirmationMethods, twoStep, passkeys, google, paces, timeZone, chosenTimeZone } = props;
  return (
    <ConfirmIdentity methods={confirmationMethods}>
      <PageHeader title="Settings">Manage your account, plan, sign-in, and data.</PageHeader>
      <SettingsSection id="profile" title="Profile" description="The name on your account.">
        <Profile initial={user} />
      </SettingsSection>
      <SettingsSection id="plan" title="Plan" description="Your current plan and what it costs.">
        <HeldSubscriptions initial={held} />
        <SubscriptionCard initial={subscription} timeZone={timeZone} />
      </SettingsSection>
      <SettingsSection id="payments" title="Payments" description="Your payments and receipts.">
        <PaymentHistory initial={payments} timeZone={timeZone} />
      </SettingsSection>
      <SettingsSection id="email" title="Email" description="Used to sign in and to send you emails.">
        <EmailSetting email={user.email} isVerified={user.email_verified} pendingEmail={pendingEmail} />
      </SettingsSection>
      <SettingsSection
        id="mails"
        title="Email preferences"
        description="Choose which emails we send you. Alerts about pins, accounts, and links are grouped into one email an hour at most."
      >
        <EmailsSetting muted={mutedEmails} />
      </SettingsSection>
      <SettingsSection id="password" title="Password" description="Changing it signs you out on all other devices.">
        <PasswordSetting />
      </SettingsSection>
      {google && (
        <SettingsSection id="google" title="Google" description="You can also sign in with your Google account.">
          <GoogleSetting email={google.email} />
        </SettingsSection>
      )}
      <SettingsSection
        id="two-step"
        title="Two-step sign-in"
        description="Asks for a code from an authenticator app after your password."
      >
        <TwoStepSetting state={twoStep} timeZone={timeZone} />
      </SettingsSection>
      <SettingsSection
        id="passkeys"
        title="Passkeys"
        description="Sign in with your fingerprint, face, or device PIN instead of your password."
      >
        <PasskeysSetting
          passkeys={passkeys}
          device={logins.find(({ isCurrent }) => isCurrent)?.device ?? ""}
          timeZone={timeZone}
        />
      </SettingsSection>
      <SettingsSection
        id="logins"
        title="Devices"
        description="Where you're signed in. Sign out of any device you don't recognize."
      >
        <LoginsSetting logins={logins} timeZone={timeZone} />
      </SettingsSection>
      <SettingsSection
        id="security"
        title="Security activity"
        description="Sign-ins and changes to your account. If something here wasn't you, change your password."
      >
        <SecurityActivity events={securityEvents} timeZone={timeZone} />
      </SettingsSection>
      <SettingsSection
        id="api-keys"
        title="API keys"
        description="Use your own programs to create, schedule, and publish pins."
      >
        <LinkButton href="/app/settings/api-keys">Manage API keys</LinkButton>
      </SettingsSection>
      <SettingsSection
        id="webhooks"
        title="Webhooks"
        description="Notify your own tools when something happens, like a pin being published."
      >
        <LinkButton href={WEBHOOKS_PATH}>Manage webhooks</LinkButton>
      </SettingsSection>
      <SettingsSection
        id="time-zone"
        title="Time zone"
        description="Used to show times, and for posting slots, daily limits, and quiet hours. Pins that are already scheduled keep their times."
      >
        <TimeZoneSetting chosen={chosenTimeZone} />
      </SettingsSection>
      <SettingsSection
        id="pace"
        title="Safe pace"
        description="How “Safe pace” spaces pins when you schedule them. Pins that are already scheduled keep their times."
      >
        <PaceSetting initial={paces} />
      </SettingsSection>
      <SettingsSection
        id="theme"
        title="Theme"
        description="Light, dark, or the same as your device. Saved in this browser."
      >
        <ThemeToggle />
      </SettingsSection>
      <SettingsSection
        id="export"
        title="Your data"
        description="Everything in your account as one JSON file, without passwords or access tokens."
      >
        <a className={buttonClass({})} href="/api/users/export/" download>
          Download my data
        </a>
      </SettingsSection>
      <SettingsSection id="delete" title="Delete account" description="Permanently deletes your account and its data.">
        <DeleteSetting hasPlan={isLive(subscription)} />
      </SettingsSection>
    </ConfirmIdentity>
  );
}
