import { useEffect } from 'react';
import { Navigate } from 'react-router';
import { showToast } from './copy.ts';

/** Redirects from a page that the viewer can't use to another one, where a toast says why. */
export function LeaveWithToast({ to, title, text }: { to: string; title: string; text: string }) {
  useEffect(() => void showToast({ title, text }), [title, text]);
  return <Navigate to={to} replace />;
}
