const MARK =
  "M12 .9c.36 0 .69.18.88.49l4.05 6.35c.3.47-.04 1.08-.6 1.08h-.9l3.62 5.72c.46.72-.06 1.66-.91 1.66h-5.03l-.62 6.13c-.03.28-.23.47-.49.47s-.46-.19-.49-.47l-.62-6.13H5.86c-.85 0-1.37-.94-.91-1.66l3.62-5.72h-.9c-.56 0-.9-.61-.6-1.08l4.05-6.35c.19-.31.52-.49.88-.49Z";

/** The logo mark: a fir tree whose trunk is the needle of a tack. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 24 24" fill="currentColor" className={className}>
      <path d={MARK} />
    </svg>
  );
}

/** Classes of mark and wordmark side by side. */
export const LOGO =
  "inline-flex items-center gap-[0.4em] font-display text-[1.4375rem]/none font-medium tracking-[-0.028em] text-ink";
