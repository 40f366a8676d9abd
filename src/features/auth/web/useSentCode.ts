import { useLocation, useNavigate } from 'react-router';

export interface SentCode {
  email: string;
  /** The address that the mail comes from. */
  from: string;
  /** In milliseconds. */
  sentAt: number;
}

/** The code that is on its way. It stands in the state of the history entry, so that a reload asks for it again. */
export function useSentCode() {
  const navigate = useNavigate();
  const { state } = useLocation() as { state: { sentCode?: SentCode } | null };
  const put = (sentCode?: SentCode) =>
    void navigate(
      { search: window.location.search },
      { replace: true, state: { sentCode }, preventScrollReset: true },
    );
  return {
    code: state?.sentCode,
    remember: (email: string, from: string) => put({ email, from, sentAt: Date.now() }),
    forget: () => put(),
  };
}
