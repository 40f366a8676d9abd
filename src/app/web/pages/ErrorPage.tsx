import { useEffect, useState } from 'react';
import { useRouteError } from 'react-router';
import { OfflinePage } from './OfflinePage.tsx';
import { ServerError } from './ServerError.tsx';

/** Stands in for a page that could not be shown. */
export function ErrorPage() {
  const error = useRouteError();
  // As it was when the page failed: the page that says so watches for a network itself.
  const [online] = useState(navigator.onLine);
  useEffect(() => console.error(error), [error]);
  return online ? <ServerError /> : <OfflinePage />;
}
