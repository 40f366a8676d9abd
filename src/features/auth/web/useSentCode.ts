import { useLocation, useNavigate } from 'react-router';

export interface SentCode {
  email: string;
  /** The sender address of the email. */
  from: string;
  /** In milliseconds. */
  sentAt: number;
}

/** The code that was sent, stored in the history state, so that the dialog reopens after a reload. */
export function useSentCode() {
  const navigate = useNavigate();
  const { state } = useLocation() as { state: { sentCode?: SentCode } | null };
  const store = (sentCode?: SentCode) =>
    void navigate(
      { search: window.location.search },
      { replace: true, state: { sentCode }, preventScrollReset: true },
    );
  return {
    code: state?.sentCode,
    remember: (email: string, from: string) => store({ email, from, sentAt: Date.now() }),
    forget: () => store(),
  };
}
