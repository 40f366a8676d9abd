import { Download, Printer } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { Button } from '#ui/Button.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { showToast } from './copy.ts';
import { explain } from './explain.ts';
import { saveFile } from './save-file.ts';
import { useNeedsNetwork } from './useNeedsNetwork.ts';
import { useSubmit } from './useSubmit.ts';
import type { PrintedGroup } from './printed-list.tsx';
import { t } from './messages.ts';

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
  const [printed, setPrinted] = useState<ReactNode>();
  const print = useSubmit({
    mutationFn: async () => {
      const [groups, { printedList }] = await Promise.all([readAll(), import('./printed-list.tsx')]);
      return printedList({ title, text, groups });
    },
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
      <InlineError>{network.notice}</InlineError>
      {printed && createPortal(printed, document.body)}
    </div>
  );
}
