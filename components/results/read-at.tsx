/** When Pinterest was asked, by the reader's clock: such figures are of that moment and are not kept. */
export function ReadAt({ at, timeZone }: { at: string; timeZone: string }) {
  const time = new Intl.DateTimeFormat("en-US", { hour: "numeric", minute: "2-digit", timeZone }).format(new Date(at));
  return (
    <>
      {" "}
      Read from Pinterest at <time dateTime={at}>{time.replace(/\u202f/g, " ")}</time>.
    </>
  );
}
