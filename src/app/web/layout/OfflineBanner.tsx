import { useOnline } from '#web/useOnline.ts';

/** Shown while offline: the data may be stale, and changes are not possible. */
export function OfflineBanner() {
  const online = useOnline();
  return (
    <div role="status">
      {!online && (
        <p className="bg-warn-soft px-4 py-2.5 text-center text-sm font-semibold text-warn">
          You are offline. What you see may be out of date.
        </p>
      )}
    </div>
  );
}
