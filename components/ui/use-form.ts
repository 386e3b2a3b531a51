"use client";

import { type FormEvent, type RefObject, useActionState, useEffect, useRef, useState } from "react";
import type { FormErrors, FormOutcome } from "#lib/client/form-outcome.ts";
import type { FormResult } from "#lib/core/form-result.ts";

type FormValues<F extends string> = Record<F, string>;

type FormRules<F extends string> = {
  /** In the order of the form; the first invalid field gets the focus. */
  fields: readonly F[];
  /** Client-side validation with the server's rules; the form is only sent when there are no errors. */
  check: (values: FormValues<F>) => FormErrors<F>;
  /** Server action for browsers without scripts. */
  action?: (before: FormResult<F>, data: FormData) => Promise<FormResult<F>>;
  /** The problem to show for the whole form when validation fails. */
  problemOf?: (errors: FormErrors<F>) => string | undefined;
  /** Sends the form. When the signal is aborted, the user left: show nothing and do not navigate. */
  send: (values: FormValues<F>, signal: AbortSignal) => Promise<FormOutcome<F>>;
  /** The problem to show when `send` throws, for example because its code could not be loaded. */
  notLoaded?: string;
  /** Called for every refusal, by validation or by the server. */
  onRefused?: (problem: string | undefined) => void;
};

type State<F extends string> = {
  isSending: boolean;
  errors: FormErrors<F>;
  problem?: string;
  /** Whether the errors are the server's, which the client cannot check again. */
  isFromServer: boolean;
  refusals: number;
};

export type Form<F extends string> = {
  isSending: boolean;
  errors: FormErrors<F>;
  problem: string | undefined;
  /** The server action's result when the form was sent without scripts. */
  answer: FormResult<F>;
  /** That result's message, until the form is sent again. */
  answerMessage: string | undefined;
  /** Props of a field. */
  control: (field: F) => { name: F; error: string | undefined; defaultValue: string | undefined };
  /** Props of the `<form>`. */
  bind: {
    ref: RefObject<HTMLFormElement | null>;
    action: (data: FormData) => void;
    noValidate: true;
    onSubmit: (event: FormEvent<HTMLFormElement>) => void;
    onInput: (event: FormEvent<HTMLFormElement>) => void;
  };
};

function valuesOf<F extends string>(form: HTMLFormElement, fields: readonly F[]): FormValues<F> {
  const data = new FormData(form);
  const entries = fields.map((field) => {
    const value = data.get(field);
    return [field, typeof value === "string" ? value : ""];
  });
  // The entries cover every field.
  return Object.fromEntries(entries) as FormValues<F>;
}

function hasAny(errors: object): boolean {
  return Object.keys(errors).length > 0;
}

/** Updates the errors after an edit: validation errors are checked again, a server error clears with its field. */
function recheck<F extends string>(state: State<F>, field: string, now: FormErrors<F>): State<F> {
  const entries: [string, unknown][] = Object.entries(state.errors);
  const left = state.isFromServer
    ? entries.filter(([name]) => name !== field)
    : entries.flatMap(([name]): [string, unknown][] => (name in now ? [[name, now[name as F]]] : []));
  const errors = Object.fromEntries(left) as FormErrors<F>;
  return { ...state, errors, problem: state.isFromServer || hasAny(errors) ? state.problem : undefined };
}

/** After a refusal, focuses the first invalid field, or else what had the focus before the fields were locked. */
function useFocusAfterRefusal<F extends string>(
  form: RefObject<HTMLFormElement | null>,
  { errors, refusals }: State<F>,
  fields: readonly F[],
  before: RefObject<Element | null>,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per refusal, not for every edit that fixes it
  useEffect(() => {
    if (refusals === 0) return;
    const first = fields.find((field) => errors[field] !== undefined);
    const element = first ? form.current?.elements.namedItem(first) : before.current;
    if (element instanceof HTMLElement) element.focus();
  }, [refusals]);
}

const noAction = async () => null;

function sendBy<F extends string>(rules: FormRules<F>, values: FormValues<F>, signal: AbortSignal) {
  return rules.send(values, signal).catch((error: unknown): FormOutcome<F> => {
    console.warn("The form could not be sent", error);
    return { kind: "refused", problem: rules.notLoaded };
  });
}

/**
 * A form that is sent by script, or natively with `action` when no script runs. Validates first, locks the fields while
 * sending, never sends twice, and focuses the first invalid field after a refusal.
 */
export function useForm<F extends string>(rules: FormRules<F>): Form<F> {
  const [answer, action] = useActionState<FormResult<F>, FormData>(rules.action ?? noAction, null);
  const [state, setState] = useState<State<F>>({
    isSending: false,
    errors: answer?.errors ?? {},
    ...(answer && !answer.isDone && { problem: answer.message }),
    isFromServer: true,
    refusals: 0,
  });
  const ref = useRef<HTMLFormElement>(null);
  const focusBefore = useRef<Element | null>(null);
  const sending = useRef<AbortController | null>(null);
  useFocusAfterRefusal(ref, state, rules.fields, focusBefore);
  useEffect(() => () => sending.current?.abort(), []);

  function refuse(errors: FormErrors<F>, problem: string | undefined, isFromServer: boolean): void {
    setState(({ refusals }) => ({ isSending: false, errors, problem, isFromServer, refusals: refusals + 1 }));
    rules.onRefused?.(problem);
  }

  async function submit(form: HTMLFormElement): Promise<void> {
    const values = valuesOf(form, rules.fields);
    const broken = rules.check(values);
    if (hasAny(broken)) return refuse(broken, rules.problemOf?.(broken), false);
    const controller = new AbortController();
    sending.current = controller;
    focusBefore.current = document.activeElement;
    setState((before) => ({ ...before, isSending: true, errors: {}, problem: undefined }));
    const outcome = await sendBy(rules, values, controller.signal);
    if (controller.signal.aborted || outcome.kind === "leaving") return;
    sending.current = null;
    if (outcome.kind === "refused") return refuse(outcome.errors ?? {}, outcome.problem, true);
    setState((before) => ({ ...before, isSending: false }));
  }

  return {
    isSending: state.isSending,
    errors: state.errors,
    problem: state.problem,
    answer,
    answerMessage: state.isSending || state.refusals > 0 ? undefined : answer?.message,
    control: (name) => ({ name, error: state.errors[name], defaultValue: answer?.values[name] }),
    bind: {
      ref,
      action,
      noValidate: true,
      onSubmit: (event) => {
        event.preventDefault();
        if (!sending.current) void submit(event.currentTarget);
      },
      onInput: (event) => {
        if (!hasAny(state.errors)) return;
        const field = event.target instanceof Element ? (event.target.getAttribute("name") ?? "") : "";
        const now = rules.check(valuesOf(event.currentTarget, rules.fields));
        setState((before) => recheck(before, field, now));
      },
    },
  };
}
