import type { Page } from '@playwright/test';
import { iteratorHelpers, newerBuiltIns } from '#test/newer-built-ins.ts';

const iterators = 'Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))';

/** Before any script of a page runs, removes the built-ins that the oldest browsers listed in package.json lack. */
export const removeNewerBuiltIns = (page: Page) =>
  page.addInitScript({
    content: Object.entries({ [iterators]: iteratorHelpers, ...newerBuiltIns })
      .flatMap(([owner, names]) =>
        names.split(' ').map((name) => `try { delete ${owner}[${JSON.stringify(name)}]; } catch {}`),
      )
      .join('\n'),
  });
