import { useEffect, useState } from 'react';
import { useRouteError } from 'react-router';
import { OfflinePage } from './OfflinePage.tsx';
import { ServerError } from './ServerError.tsx';

/** Error boundary of the routes. */
export function ErrorPage() {
  const error = useRouteError();
  // Stays as it was at the time of the error, because OfflinePage itself reloads when the network is back.
  const [online] = useState(navigator.onLine);
  useEffect(() => console.error(error), [error]);
  return online ? <ServerError /> : <OfflinePage />;
}
