package rules

import (
	"strings"
	"testing"
)

// TestNameClass holds what the words of a name say of its value.
func TestNameClass(t *testing.T) {
	for _, c := range []struct {
		reason string
		class  Class
		names  []string
	}{
		{"a password", PasswordKey, []string{"password", "DATABASE_PASSWORD", "dbPassword2", "user-passwd", "PGPASSWORD", "sshPassphrase", "pw", "db_pass", "mot_de_passe", "Kennwort", "contraseña", "пароль", "密码"}},
		{"a secret", SecretKey, []string{"token", "GITHUB_TOKEN", "jiraToken", "authtoken", "x_access_token_5", "client-secret", "azureClientSecret", "X-Api-Key", "OPENAI_API_KEY", "APIKey", "awsSecretAccessKey", "privateKey", "secret_value", "credentials", "HEROKU_KEY", "snykKey"}},
		{"a key of a service with capitals of its own", SecretKey, []string{"GitHub key", "OpenAI key", "OpenAIKey", "my LinkedIn key", "CircleCI-Key", "New Relic key", "azure_key"}},
		{"what may be one", VagueKey, []string{"ACME_KEY", "lokiKey", "user_auth", "creds", "sonar.login"}},
		{"something about a secret", 0, []string{"token_type", "tokenId", "password_hint", "passwordResetUrl", "secret_name", "token_count", "apiKeyId", "credential_provider"}},
		{"another kind of token", 0, []string{"nextToken", "next_page_token", "continuationToken", "publicKeyToken", "max_tokens"}},
		{"another kind of key", 0, []string{"key", "primary_key", "publicKey", "cache-key", "sortKey", "foreign_key", "OpenAI public key", "GitHub cache key"}},
		{"a key of what a service's name ends as", VagueKey, []string{"hub key", "ai_key", "relicKey"}},
		{"a word that only begins so", 0, []string{"tokenizer", "passwordless", "secretary", "compass", "bypass", "keyboard", "author"}},
		{"nothing", 0, []string{"", "_", "42", "name", "x-request-id"}},
	} {
		for _, name := range c.names {
			if have := NameClass(name); have != c.class {
				t.Errorf("%s: want class %b for %s, have %b", c.reason, c.class, name, have)
			}
		}
	}
}

func TestNameWords(t *testing.T) {
	for _, c := range []struct{ reason, name, want string }{
		{"signs between", "a_b-c.d e", "a b c d e"},
		{"capitals", "someAPIKeyValue", "some api key value"},
		{"all capitals", "AWS_SECRET", "aws secret"},
		{"digits part words and are none", "token12x", "token x"},
		{"other scripts", "Пароль1", "пароль"},
	} {
		if have := strings.Join(nameWords(c.name), " "); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}
