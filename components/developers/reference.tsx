import { Chip } from "#components/ui/chip.tsx";
import {
  callsOf,
  exampleBody,
  type FieldRow,
  fieldRows,
  type ListedCall,
  ownParameters,
  parameterRows,
  type Specification,
} from "./specification.ts";
import { TryIt } from "./try-it.tsx";

type FieldsProps = { title: string; rows: readonly FieldRow[] };

function Fields({ title, rows }: FieldsProps) {
  if (rows.length === 0) return null;
  return (
    <div>
      <h4 className="mb-1 text-sm font-semibold">{title}</h4>
      <dl>
        {rows.map(({ name, type, isRequired, text }) => (
          <div key={name} className="border-t border-line py-2 text-sm first:border-t-0">
            <dt className="flex flex-wrap items-baseline gap-x-2.5">
              <code className="font-mono wrap-anywhere text-ink">{name}</code>
              <span className="text-xs wrap-anywhere text-ink-3">
                {type}
                {isRequired ? "" : ", optional"}
              </span>
            </dt>
            {text && <dd className="mt-0.5 text-pretty text-ink-2">{text.replaceAll("`", "")}</dd>}
          </div>
        ))}
      </dl>
    </div>
  );
}

const successOf = ({ responses }: ListedCall) =>
  Object.entries(responses).find(([status]) => status.startsWith("2")) ?? ["200", { description: "" }];

type CallProps = { call: ListedCall; specification: Specification };

function CallSection({ call, specification }: CallProps) {
  const { operationId, method, path, summary, description, requestBody, responses } = call;
  const [status, success] = successOf(call);
  const body = requestBody && Object.values(requestBody.content)[0]?.schema;
  const result = success.content?.["application/json"]?.schema;
  const parameters = ownParameters(call);
  const errors = Object.entries(responses).filter(([code]) => Number(code) >= 400);
  return (
    <section aria-labelledby={operationId} className="border-t border-line py-8">
      <h3 id={operationId} className="title-3">
        {summary}
      </h3>
      <p className="mt-2 flex flex-wrap items-center gap-2.5">
        <Chip>{method}</Chip>
        <code className="font-mono text-sm wrap-anywhere">{path}</code>
      </p>
      <p className="mt-3 max-w-[62ch] text-pretty whitespace-pre-line text-ink-2">{description.replaceAll("`", "")}</p>
      <div className="mt-5 grid max-w-[70ch] gap-5">
        <Fields title="Parameters" rows={parameterRows(parameters)} />
        {body && <Fields title="Body" rows={fieldRows(body, specification)} />}
        {result && <Fields title={`Response (${status})`} rows={fieldRows(result, specification)} />}
        <p className="text-sm text-ink-3">
          Errors: {errors.map(([code, { description: codes }]) => `${code} ${codes.replaceAll("`", "")}`).join("; ")}
        </p>
        {requestBody && !requestBody.content["application/json"] ? null : (
          <details className="rounded-card bg-surface px-5 py-4 shadow-card">
            <summary className="cursor-pointer font-medium">
              Try it<span className="sr-only">: {summary}</span>
            </summary>
            <div className="mt-4">
              <TryIt
                method={method}
                path={path}
                // Calls stay on this origin, whatever the product was built for.
                server={new URL(specification.servers[0]?.url ?? "").pathname}
                parameters={parameters.map(({ name, in: place, required = false }) => ({
                  name,
                  place,
                  isRequired: required,
                }))}
                body={exampleBody(call, specification)}
              />
            </div>
          </details>
        )}
      </div>
    </section>
  );
}

type ReferenceProps = { specification: Specification };

/** Every call of the API, rendered on the server from its specification. */
export function Reference({ specification }: ReferenceProps) {
  const calls = callsOf(specification);
  return specification.tags.map(({ name, description }) => (
    <section key={name} aria-labelledby={`tag-${name}`}>
      <h2 id={`tag-${name}`} className="title-2">
        {name}
      </h2>
      <p className="mt-2 text-ink-2">{description}</p>
      <div className="mt-4">
        {calls
          .filter(({ tags }) => tags.includes(name))
          .map((call) => (
            <CallSection key={call.operationId} call={call} specification={specification} />
          ))}
      </div>
    </section>
  ));
}

/** The schemas that several calls share. */
export function SharedSchemas({ specification }: ReferenceProps) {
  const named = Object.entries(specification.components.schemas).filter(
    ([name, { properties = {} }]) => !name.startsWith("New") && !("data" in properties),
  );
  return (
    <section aria-labelledby="schemas">
      <h2 id="schemas" className="title-2">
        Objects
      </h2>
      <div className="mt-4 grid max-w-[70ch]">
        {named.map(([name, schema]) => (
          <section key={name} aria-labelledby={`schema-${name}`} className="border-t border-line py-6">
            <h3 id={`schema-${name}`} className="title-3">
              {name}
            </h3>
            {schema.description && <p className="mt-1.5 text-sm text-ink-2">{schema.description}</p>}
            <div className="mt-3">
              <Fields title="Fields" rows={fieldRows(schema, specification)} />
            </div>
          </section>
        ))}
      </div>
    </section>
  );
}
