import { useNavigate } from 'react-router';

/** Where the router counts the entries that this application has made in the history of the window. */
const stepsBehind = (): number => (window.history.state as { idx?: number } | null)?.idx ?? 0;

/** A way back: `steps` in the history when the application has made that many, else to `fallback`. */
export function useBack(fallback: string, steps = 1): () => void {
  const navigate = useNavigate();
  return () => {
    if (stepsBehind() >= steps) void navigate(-steps);
    else void navigate(fallback, { replace: true });
  };
}
