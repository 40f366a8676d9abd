import { t } from './messages.ts';

interface PrintedRow {
  id: string;
  name: string;
  /** What else is known about the person, after the name. */
  details: string;
}

/** People with a heading, or without one if they are the only or the last group. */
export interface PrintedGroup {
  heading?: string;
  rows: readonly PrintedRow[];
}

interface PrintedListProps {
  title: string;
  text?: string | undefined;
  groups: readonly PrintedGroup[];
}

/** Replaces the page on paper, with a box to tick beside each name. Not shown on the screen. */
export const printedList = ({ title, text, groups }: PrintedListProps) => (
  <article data-printed className="hidden print:block">
    <h1 className="text-2xl font-bold wrap-anywhere">{title}</h1>
    {text && <p className="mt-1 wrap-anywhere">{text}</p>}
    {groups.map(({ heading = groups.length > 1 ? t('otherPeople') : '', rows }) => (
      <section key={heading} className="mt-4">
        {heading && <h2 className="mb-1 text-lg font-bold wrap-anywhere">{heading}</h2>}
        <ul>
          {rows.map(({ id, name, details }) => (
            <li key={id} className="flex break-inside-avoid gap-3 border-b border-current py-1.5">
              <span aria-hidden className="mt-0.5 size-5 shrink-0 border border-current" />
              <p className="min-w-0 wrap-anywhere">
                <strong>{name}</strong>
                {details && <span> · {details}</span>}
              </p>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </article>
);
