(function () {
  'use strict';
  // With more matches than this, they stay closed: opening thousands takes seconds.
  const MAX_OPEN = 200;
  const form = document.querySelector('form');
  const input = document.querySelector('input');
  const status = document.querySelector('output');
  // Not the further records of a name, which are shown with it.
  const branches = Array.from(document.querySelectorAll('details:not(dl details)'));
  const opened = branches.map((branch) => branch.open);
  let names = null;
  let before = '';

  function index() {
    names = Array.from(document.querySelectorAll('dl div'), (element) => ({
      element: element,
      text: element.textContent.toLowerCase(),
    }));
  }

  // Shows the names that contain every word, in the name or in a record, and the branches above them.
  function search(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.join(' ') === before) {
      return;
    }
    before = words.join(' ');
    names || index();
    let found = 0;
    const shown = new Set();
    for (const name of names) {
      const hit = words.every((word) => name.text.includes(word));
      name.element.hidden = !hit;
      if (hit) {
        found += 1;
        let branch = name.element.closest('details');
        while (branch !== null && !shown.has(branch)) {
          shown.add(branch);
          branch = branch.parentElement.closest('details');
        }
      }
    }
    branches.forEach((branch, i) => {
      branch.hidden = !shown.has(branch);
      branch.open = words.length === 0 || found > MAX_OPEN ? opened[i] : shown.has(branch);
    });
    status.textContent = words.length === 0 ? ''
      : found === 1 ? '1 name' : found.toLocaleString('en') + ' names' + (found > MAX_OPEN ? ', closed: open one, or search for more' : '');
  }

  function fromAddress() {
    const text = new URLSearchParams(location.hash.slice(1)).get('q') || '';
    input.value = text;
    search(text);
  }

  input.addEventListener('input', () => {
    search(input.value);
    const hash = input.value === '' ? '' : '#' + new URLSearchParams({ q: input.value });
    history.replaceState(null, '', location.pathname + location.search + hash);
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  addEventListener('hashchange', fromAddress);
  form.hidden = false;
  fromAddress();
})();
