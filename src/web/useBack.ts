import { useNavigate } from 'react-router';

/** The number of history entries that the app has pushed; React Router stores it as `idx`. */
const historyIndex = (): number => (window.history.state as { idx?: number } | null)?.idx ?? 0;

/** Goes back `steps` history entries if the app has pushed that many, else to `fallback`. */
export function useBack(fallback: string, steps = 1): () => void {
  const navigate = useNavigate();
  return () => {
    if (historyIndex() >= steps) void navigate(-steps);
    else void navigate(fallback, { replace: true });
  };
}
