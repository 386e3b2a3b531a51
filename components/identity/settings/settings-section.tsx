import type { ReactNode } from "react";

type SettingsSectionProps = {
  /** The anchor of the section. */
  id: string;
  title: string;
  words: ReactNode;
  children: ReactNode;
};

/** One matter of the settings: what it is at the left, its controls at the right. */
export function SettingsSection({ id, title, words, children }: SettingsSectionProps) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="settings-section">
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
