"use client";

import { useEffect } from "react";
import { useNotice } from "#components/ui/notice.tsx";
import { editQuery } from "#lib/client/edit-query.ts";
import { TEXTS } from "#lib/features/accounts/constants.ts";
import { connectionFailureText } from "#lib/features/accounts/policy.ts";

/** R-ACC-08, A-87: tells how the way through Pinterest's consent ended, then resets the address to `/app/`. */
export const useConnectionNotice = (): void => {
  const notice = useNotice();
  useEffect(
    () =>
      editQuery((search) => {
        const error = search.get("error");
        if (search.has("success")) notice.success(TEXTS.connected);
        else if (error !== null) notice.error(connectionFailureText(error));
        search.delete("success");
        search.delete("error");
      }),
    [notice],
  );
};
