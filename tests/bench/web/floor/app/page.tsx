export default function Page() {
  return (
    <main>
      <h1>A bare page</h1>
      <p>One heading and one paragraph, rendered on the server before anybody asks.</p>
    </main>
  );
}
