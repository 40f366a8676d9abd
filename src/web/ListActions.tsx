import { Download, Printer } from 'lucide-react';
import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { Button } from '#ui/Button.tsx';
import { showToast } from './copy.ts';
import { explain } from './explain.ts';
import { saveFile } from './save-file.ts';
import { useNeedsNetwork } from './useNeedsNetwork.ts';
import { useSubmit } from './useSubmit.ts';
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

type ListActionsProps = {
  /** Stands above the printed list. */
  title: string;
  /** Below the title. */
  text?: string | undefined;
  /** Reads all people, not only those on the screen. */
  readAll: () => Promise<readonly PrintedGroup[]>;
  download: () => Promise<{ file_name: string; content: string }>;
};

/** The buttons that print a list of people and download it as a file. */
export function ListActions({ title, text, readAll, download }: ListActionsProps) {
  const network = useNeedsNetwork();
  const [printed, setPrinted] = useState<readonly PrintedGroup[]>();
  const print = useSubmit({
    mutationFn: readAll,
    onSuccess: setPrinted,
    onError: (failure) => showToast({ title: t('listNotPrinted'), text: explain(failure) }),
  });
  const save = useSubmit({
    mutationFn: download,
    onSuccess: ({ file_name, content }) =>
      saveFile(file_name, new Blob([content], { type: 'text/csv;charset=utf-8' })),
    onError: (failure) => showToast({ title: t('listNotDownloaded'), text: explain(failure) }),
  });
  useEffect(() => {
    if (!printed) return;
    const { dataset } = document.documentElement;
    dataset['printing'] = '';
    // Some browsers return at once and read the page later, so the list stays until the page is left.
    window.print();
    return () => void delete dataset['printing'];
  }, [printed]);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button variant="secondary" size="sm" busy={print.isPending} onClick={() => network.run(print.mutate)}>
        <Printer aria-hidden />
        {t('print')}
      </Button>
      <Button variant="secondary" size="sm" busy={save.isPending} onClick={() => network.run(save.mutate)}>
        <Download aria-hidden />
        {t('downloadList')}
      </Button>
      {network.notice && (
        <p role="alert" className="text-sm text-muted">
          {network.notice}
        </p>
      )}
      {printed && createPortal(<PrintedList title={title} text={text} groups={printed} />, document.body)}
    </div>
  );
}

type PrintedListProps = Pick<ListActionsProps, 'title' | 'text'> & { groups: readonly PrintedGroup[] };

/** Replaces the page on paper, with a box to tick beside each name. Not shown on the screen. */
const PrintedList = ({ title, text, groups }: PrintedListProps) => (
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
