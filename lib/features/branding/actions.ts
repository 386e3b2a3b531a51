"use server";

import { action } from "#lib/server/action.ts";
import { readBranding, removeLogo, saveKit } from "./kit.ts";
import {
  applyTemplateInput,
  kitAccountInput,
  previewTemplatesInput,
  readBrandingInput,
  removeTemplateInput,
  saveKitInput,
  saveVoiceInput,
} from "./schema.ts";
import { applyTemplate, previewTemplates, removeTemplate } from "./templates.ts";
import { saveVoice } from "./voice.ts";

export const readBrandingAction = action("read-branding", readBrandingInput, readBranding);
export const saveKitAction = action("save-kit", saveKitInput, saveKit);
export const saveVoiceAction = action("save-voice", saveVoiceInput, saveVoice);
export const removeLogoAction = action("remove-logo", kitAccountInput, removeLogo);
export const applyTemplateAction = action("apply-template", applyTemplateInput, applyTemplate, { limit: "template" });
export const removeTemplateAction = action("remove-template", removeTemplateInput, removeTemplate, {
  limit: "template",
});
export const previewTemplatesAction = action("preview-templates", previewTemplatesInput, previewTemplates, {
  limit: "drawPreview",
});
