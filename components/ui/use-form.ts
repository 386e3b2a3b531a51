"use client";

import { type FormEvent, type RefObject, useActionState, useEffect, useRef, useState } from "react";
import type { FormErrors, FormOutcome } from "#lib/client/form-outcome.ts";
import type { FormAnswer } from "#lib/core/form-answer.ts";

export type FormValues<F extends string> = Record<F, string>;

type FormRules<F extends string> = {
  /** In the order of the form: the first that is wrong gets the focus. */
  fields: readonly F[];
  /** The rules the server has too; empty when all hold. Nothing is sent before. */
  check: (values: FormValues<F>) => FormErrors<F>;
  /** Takes the form where no script does: a public page's form works without any. */
  action?: (before: FormAnswer<F>, data: FormData) => Promise<FormAnswer<F>>;
  /** What a broken rule means for the whole form. */
  problemOf?: (errors: FormErrors<F>) => string | undefined;
  /** Sends. The signal tells whether the screen was left meanwhile: then nothing may be shown or gone to any more. */
  send: (values: FormValues<F>, signal: AbortSignal) => Promise<FormOutcome<F>>;
  /** The problem when `send` throws, as it does where what it loads cannot be fetched. */
  notLoaded?: string;
  /** Told of every refusal, by the rules or by the server. */
  onRefused?: (problem: string | undefined) => void;
};

type State<F extends string> = {
  isSending: boolean;
  errors: FormErrors<F>;
  problem?: string;
  /** Whether the errors are the server's, which only the server can look at again. */
  isServers: boolean;
  refusals: number;
};

export type Form<F extends string> = {
  isSending: boolean;
  errors: FormErrors<F>;
  problem: string | undefined;
  /** What the page was answered with where the form was sent without a script. */
  answer: FormAnswer<F>;
  /** What that answer says of the whole form, until the form is sent again. */
  answered: string | undefined;
  /** For the field of that name. */
  control: (field: F) => { name: F; error: string | undefined; defaultValue: string | undefined };
  /** For the `<form>`. */
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
  // One entry for each field, by the line above.
  return Object.fromEntries(entries) as FormValues<F>;
}

function isAnyOf(errors: object): boolean {
  return Object.keys(errors).length > 0;
}

/** What is left of the errors after a key: broken rules are looked at again, a server's error goes with its field. */
function recheck<F extends string>(state: State<F>, field: string, now: FormErrors<F>): State<F> {
  const entries: [string, unknown][] = Object.entries(state.errors);
  const left = state.isServers
    ? entries.filter(([name]) => name !== field)
    : entries.flatMap(([name]): [string, unknown][] => (name in now ? [[name, now[name as F]]] : []));
  const errors = Object.fromEntries(left) as FormErrors<F>;
  return { ...state, errors, problem: state.isServers || isAnyOf(errors) ? state.problem : undefined };
}

/** Puts the focus on the first field that is wrong, else back where it was when the fields were locked. */
function useFocusAfterRefusal<F extends string>(
  form: RefObject<HTMLFormElement | null>,
  { errors, refusals }: State<F>,
  fields: readonly F[],
  before: RefObject<Element | null>,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal, not for each key that mends it
  useEffect(() => {
    if (refusals === 0) return;
    const first = fields.find((field) => errors[field] !== undefined);
    const element = first ? form.current?.elements.namedItem(first) : before.current;
    if (element instanceof HTMLElement) element.focus();
  }, [refusals]);
}

const unanswered = async () => null;

function sendBy<F extends string>(rules: FormRules<F>, values: FormValues<F>, signal: AbortSignal) {
  return rules.send(values, signal).catch((error: unknown): FormOutcome<F> => {
    console.warn("The form could not be sent", error);
    return { kind: "refused", problem: rules.notLoaded };
  });
}

/**
 * A form that is sent by script, and by the browser itself where its `action` is given and no script runs. Rules are
 * checked first, the fields are locked while sending, nothing is sent twice, what was typed stays, and a refusal moves
 * the focus to the field it is about.
 */
export function useForm<F extends string>(rules: FormRules<F>): Form<F> {
  const [answer, action] = useActionState<FormAnswer<F>, FormData>(rules.action ?? unanswered, null);
  const [state, setState] = useState<State<F>>({
    isSending: false,
    errors: answer?.errors ?? {},
    ...(answer && !answer.isDone && { problem: answer.message }),
    isServers: true,
    refusals: 0,
  });
  const ref = useRef<HTMLFormElement>(null);
  const focusBefore = useRef<Element | null>(null);
  const sending = useRef<AbortController | null>(null);
  useFocusAfterRefusal(ref, state, rules.fields, focusBefore);
  useEffect(() => () => sending.current?.abort(), []);

  function refuse(errors: FormErrors<F>, problem: string | undefined, isServers: boolean): void {
    setState(({ refusals }) => ({ isSending: false, errors, problem, isServers, refusals: refusals + 1 }));
    rules.onRefused?.(problem);
  }

  async function submit(form: HTMLFormElement): Promise<void> {
    const values = valuesOf(form, rules.fields);
    const broken = rules.check(values);
    if (isAnyOf(broken)) return refuse(broken, rules.problemOf?.(broken), false);
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
    answered: state.isSending || state.refusals > 0 ? undefined : answer?.message,
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
        if (!isAnyOf(state.errors)) return;
        const field = event.target instanceof Element ? (event.target.getAttribute("name") ?? "") : "";
        const now = rules.check(valuesOf(event.currentTarget, rules.fields));
        setState((before) => recheck(before, field, now));
      },
    },
  };
}
