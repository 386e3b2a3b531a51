import { useId } from "react";
import type { Previews } from "#components/branding/use-previews.ts";
import { TEMPLATE_NAMES, type TemplateName } from "#lib/core/picture-templates.ts";
import { TEMPLATES } from "#lib/features/branding/constants.ts";

type TemplateRowProps = {
  value: TemplateName;
  small: Previews["small"];
  isDrawing: boolean;
  disabled?: boolean;
  onChange: (template: TemplateName) => void;
};

/** The eight templates as small pictures of the pin: a radio group, so that arrow keys choose. */
export function TemplateRow({ value, small, isDrawing, disabled, onChange }: TemplateRowProps) {
  const name = useId();
  return (
    <fieldset disabled={disabled} aria-busy={isDrawing}>
      <legend className="label mb-2">Template</legend>
      <div className="template-row">
        {TEMPLATE_NAMES.map((template) => {
          const preview = small[template];
          const { label, about } = TEMPLATES[template];
          return (
            <label key={template} className="template-choice" title={about}>
              <input
                type="radio"
                className="sr-only"
                name={name}
                value={template}
                checked={template === value}
                onChange={() => onChange(template)}
              />
              <span className="template-thumb">
                {preview && (
                  // biome-ignore lint/performance/noImgElement: a data address, drawn for this moment
                  <img src={preview.image} alt="" width={240} height={373} />
                )}
              </span>
              <span className="template-name">{label}</span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}
