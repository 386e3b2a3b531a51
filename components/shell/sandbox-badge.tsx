import FlaskConical from "lucide-react/icons/flask-conical";

const NAMES: Readonly<Record<string, string>> = {
  pinterest: "Pinterest",
  openai: "OpenAI",
  paddle: "Paddle",
  mail: "mail",
  inngest: "Inngest",
};

/** Says which services are played by a local stand-in, on every screen, so that nobody takes a trial for the real thing. */
export function SandboxBadge({ services }: { services: readonly string[] }) {
  if (services.length === 0) return null;
  const names = services.map((service) => NAMES[service] ?? service).join(", ");
  return (
    <div className="sandbox-badge" role="note">
      <FlaskConical aria-hidden="true" />
      <span className="nav-text">
        <b>Sandbox</b> <span className="sandbox-names">{names}</span>
      </span>
    </div>
  );
}
