import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bareTexts } from '#test/bare-text.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Each line with a comment breaks after a translation. */
const example = `
import type { ReactNode } from 'react';
type Props = { busy: boolean; label: string; note?: string; names: string[]; children: ReactNode };
const Part = ({ busy }: Props) => (busy ? <i /> : null);
export const Example = (props: Props) => {
  const { busy, label, note, names, children } = props;
  return (
    <div>
      <p>{busy && <b />}
        {label}{/* inserted before */}
      </p>
      <p>{busy && <b />} label{/* inserted before */}</p>
      <p><Part {...props} />
        {label}{/* inserted before */}
      </p>
      <p>{label}
        {note}{/* removed */}
      </p>
      <p>{label}
        {busy && label}{/* removed */}
      </p>
      <p>{label}
        {busy ? label : <b />}{/* removed */}
      </p>
      <p>{label}
        {names}{/* removed */}
      </p>
      <p><b />
        {children}{/* removed */}
      </p>
      <p>
        {busy ? <b>{children}</b> : children}{/* removed */}
      </p>
      <p>{busy ? <b>{children}</b> : <i>{children}</i>}</p>
      {busy && (
        <>
          {label}{/* removed */}
          <b />
        </>
      )}
      <p>{label}{busy && <b />}</p>
      <p>{busy && <b />}<span>{label}</span></p>
      <p>{busy && label}</p>
      <p><b />{label}{busy ? 'a' : 'b'}</p>
      {note && <p>{note}</p>}
    </div>
  );
};`;

const isExample = (text: string) => text.startsWith('src/ui/Example.tsx:');

test('texts: none is beside a part that appears, disappears or changes, since a translator wraps texts [ROBUST-02]', () => {
  const found = bareTexts(root, example);
  const linesWithComment = example.split('\n').flatMap((line, at) => (line.includes('{/*') ? [at + 1] : []));
  expect(found.filter(isExample).map((text) => Number(/:(\d+)/.exec(text)?.[1]))).toEqual(linesWithComment);
  expect(found.filter((text) => !isExample(text))).toEqual([]);
});
