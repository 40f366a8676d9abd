import { useLocation, useNavigate } from 'react-router';
import { triesPerCode } from '../rules.ts';
import type { RequestedCode } from './useRequestCode.ts';
import { deviceTime } from '#wire/server-time.ts';

/** Why the last confirmation failed. */
export type CodeFailure =
  | { why: 'wrong' }
  /** A wrong code that was entered before, so it was not sent again. */
  | { why: 'repeated' }
  /** Too many wrong codes: short codes are refused until the time `until`, in milliseconds. */
  | { why: 'locked'; until: number }
  | { why: 'unchecked'; message: string };

export interface LoginCode extends RequestedCode {
  /** Whether the dialog is open. */
  open: boolean;
  wrongTries: number;
  failure?: CodeFailure | undefined;
  /** When the last confirmation failed, in milliseconds. */
  failedAt?: number | undefined;
}

/** Whether wrong tries have used up the code. */
export const isUsedUp = ({ wrongTries }: LoginCode): boolean => wrongTries >= triesPerCode;

/** Whether two responses are about the same code: the server sends at most one code a minute to an address. */
export const isSameCode = (one: RequestedCode | undefined, other: RequestedCode): boolean =>
  one?.email === other.email && Math.abs(one.sentAt - other.sentAt) < 2000;

/** The code that was sent, stored in the history state, so that the dialog reopens after a reload. */
export function useLoginCode() {
  const navigate = useNavigate();
  const { state } = useLocation() as { state: { code?: LoginCode } | null };
  const code = state?.code;
  const store = (next: LoginCode) =>
    void navigate(
      { search: window.location.search },
      { replace: true, state: { code: next }, preventScrollReset: true },
    );
  return {
    code,
    remember: (sent: RequestedCode) =>
      store({ ...sent, open: true, wrongTries: isSameCode(code, sent) ? (code?.wrongTries ?? 0) : 0 }),
    reopen: () => code && store({ ...code, open: true }),
    close(failure?: CodeFailure) {
      if (code)
        store({
          ...code,
          open: false,
          failure,
          failedAt: failure && deviceTime(),
          wrongTries: code.wrongTries + Number(failure?.why === 'wrong'),
        });
    },
  };
}
