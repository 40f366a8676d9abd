import { Banner } from '#ui/Banner.tsx';
import { t } from '#web/messages.ts';

/** A value that others entered in a field that the user has changed as well. */
export interface TheirValue {
  label: string;
  value: string;
}

const scrollTo = (element: HTMLElement | null) => element?.scrollIntoView?.({ block: 'nearest' });

/**
 * Says that the newer values are in the form, and which of them the user's input replaces. `values` is undefined
 * without a conflict.
 */
export function ChangedMeanwhile({ values }: { values: readonly TheirValue[] | undefined }) {
  if (!values) return null;
  return (
    <Banner ref={scrollTo} tone="accent" role="alert" title={t('changedMeanwhile')}>
      <p>{t('changedMeanwhileText')}</p>
      {values.length > 0 && (
        <ul
          // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Keyboards scroll long texts.
          tabIndex={0}
          aria-label={t('changedByBoth')}
          className="mt-2 flex max-h-32 flex-col gap-2 overflow-y-auto"
        >
          {values.map(({ label, value }) => (
            <li key={label} className="wrap-anywhere whitespace-pre-wrap">
              {value ? (
                <span>
                  <span className="font-semibold">{t('asTheySaved', { field: label })}</span> {value}
                </span>
              ) : (
                <span className="font-semibold">{t('asTheyEmptied', { field: label })}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Banner>
  );
}
