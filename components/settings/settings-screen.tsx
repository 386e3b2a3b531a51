import type { ReactNode } from "react";
import { HeldSubscriptions, type HeldView } from "#components/billing/held-subscriptions.tsx";
import { PaymentHistory } from "#components/billing/payment-history.tsx";
import { SubscriptionCard } from "#components/billing/subscription-card.tsx";
import { MailsSetting } from "#components/notifications/mails-setting.tsx";
import { PageHead } from "#components/shared/page-head.tsx";
import { buttonClass } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { ThemeToggle } from "#components/ui/theme-toggle.tsx";
import { goesOn } from "#lib/features/billing/policy.ts";
import type { PaymentWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import type { MutableMail } from "#lib/features/email/constants.ts";
import type { UserWire } from "#lib/features/identity/schema.ts";
import { DeleteSetting, EmailSetting, Profile, TimeZoneSetting } from "./account-settings.tsx";
import { LoginsSetting, type LoginView, PasswordSetting } from "./login-settings.tsx";

type SettingsSectionProps = {
  /** The anchor of the section. */
  id: string;
  title: string;
  words: ReactNode;
  children: ReactNode;
};

/** One matter of the settings: what it is at the left, its controls at the right. */
function SettingsSection({ id, title, words, children }: SettingsSectionProps) {
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
        <p className="mt-1.5 max-w-[36ch] text-sm text-pretty text-ink-3">{words}</p>
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}

type SettingsScreenProps = {
  user: UserWire;
  subscription: SubscriptionWire;
  /** Subscriptions that are paid beside it and give nothing. */
  held: readonly HeldView[];
  payments: readonly PaymentWire[];
  pendingEmail: string | null;
  /** Kinds of mail that the user switched off. */
  mutedMails: readonly MutableMail[];
  logins: readonly LoginView[];
  /** The zone in which times are shown. */
  timeZone: string;
  /** The zone the user chose, null while the browser's counts. */
  chosenTimeZone: string | null;
};

/** Settings of the account (R-SET-01 to R-SET-09, R-ROUTE-29). */
export function SettingsScreen(props: SettingsScreenProps) {
  const { user, subscription, held, payments, pendingEmail, mutedMails, logins, timeZone, chosenTimeZone } = props;
  return (
    <>
      <PageHead title="Settings">Your account, your plan, how you sign in, and what is kept about you.</PageHead>
      <SettingsSection id="profile" title="Profile" words="The name on your account.">
        <Profile initial={user} />
      </SettingsSection>
      <SettingsSection id="plan" title="Plan" words="What you have, what it costs, and until when.">
        <HeldSubscriptions initial={held} />
        <SubscriptionCard initial={subscription} timeZone={timeZone} />
      </SettingsSection>
      <SettingsSection id="payments" title="Payments" words="What you paid, with the receipts of our payment provider.">
        <PaymentHistory initial={payments} timeZone={timeZone} />
      </SettingsSection>
      <SettingsSection id="email" title="E-mail" words="You sign in with it, and our mails go there.">
        <EmailSetting email={user.email} isVerified={user.email_verified} pendingEmail={pendingEmail} />
      </SettingsSection>
      <SettingsSection
        id="mails"
        title="Mails"
        words="What we tell you when you are not here, in one mail an hour at most."
      >
        <MailsSetting muted={mutedMails} />
      </SettingsSection>
      <SettingsSection id="password" title="Password" words="A change ends every login but this one.">
        <PasswordSetting />
      </SettingsSection>
      <SettingsSection id="logins" title="Logins" words="Where your account is open. End what you do not know.">
        <LoginsSetting logins={logins} timeZone={timeZone} />
      </SettingsSection>
      <SettingsSection id="time-zone" title="Time zone" words="Pins go out at the same moment whatever you choose.">
        <TimeZoneSetting chosen={chosenTimeZone} />
      </SettingsSection>
      <SettingsSection id="theme" title="Theme" words="Light, dark, or as your device says. Kept in this browser.">
        <ThemeToggle />
      </SettingsSection>
      <SettingsSection
        id="export"
        title="Your data"
        words="Everything your account holds, in one JSON file. Tokens and passwords are not in it."
      >
        <a className={buttonClass({})} href="/api/users/export/" download>
          Download my data
        </a>
      </SettingsSection>
      <SettingsSection id="delete" title="Delete account" words="Takes your account and what is in it away for good.">
        <DeleteSetting hasPlan={goesOn(subscription)} />
      </SettingsSection>
    </>
  );
}
